-- +goose Up

-- The documents that not everyone may see, so that a search need not look at the row of
-- each match. Its rows are narrow and few. PostgreSQL has a view of that name.
CREATE TABLE search_closed (
    seq       INTEGER PRIMARY KEY,
    author_id BIGINT NOT NULL -- of a block, who sees it anyhow; else 0
);
INSERT INTO search_closed (seq, author_id)
SELECT seq, CASE WHEN kind = 'Block' THEN author_id ELSE 0 END FROM search_documents WHERE open = FALSE;

-- +goose StatementBegin
CREATE TRIGGER search_documents_closed AFTER INSERT ON search_documents WHEN NEW.open = FALSE BEGIN
    INSERT INTO search_closed (seq, author_id) VALUES (NEW.seq, CASE WHEN NEW.kind = 'Block' THEN NEW.author_id ELSE 0 END);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER search_documents_turned AFTER UPDATE OF open, author_id ON search_documents
WHEN NEW.open <> OLD.open OR NEW.author_id <> OLD.author_id BEGIN
    DELETE FROM search_closed WHERE seq = OLD.seq;
    INSERT INTO search_closed (seq, author_id)
    SELECT NEW.seq, CASE WHEN NEW.kind = 'Block' THEN NEW.author_id ELSE 0 END WHERE NEW.open = FALSE;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER search_documents_gone AFTER DELETE ON search_documents WHEN OLD.open = FALSE BEGIN
    DELETE FROM search_closed WHERE seq = OLD.seq;
END;
-- +goose StatementEnd

-- What is of one kind, newest first, and how much of it there is.
CREATE INDEX search_documents_type ON search_documents (type, open, created_at, item_id);
