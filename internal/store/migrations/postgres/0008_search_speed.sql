-- +goose Up

-- The documents that not everyone may see. SQLite has a table of that name.
CREATE INDEX search_documents_closed ON search_documents (seq) INCLUDE (kind, author_id) WHERE open = FALSE;
CREATE VIEW search_closed AS
SELECT seq, CASE WHEN kind = 'Block' THEN author_id ELSE 0 END AS author_id FROM search_documents WHERE open = FALSE;

-- What is of one kind, newest first, and how much of it there is.
CREATE INDEX search_documents_type ON search_documents (type, open, created_at, item_id);
