-- +goose Up

-- How often something may have left the results of a search: documents that were deleted, turned private
-- or got other words, and deleted connections. The number only grows. Searches compare it with what it
-- was when they last counted results (search.Known). PostgreSQL has many rows of it.
CREATE TABLE search_removals (
    id INTEGER PRIMARY KEY,
    n  BIGINT NOT NULL
);
INSERT INTO search_removals (id, n) VALUES (1, 0);

-- +goose StatementBegin
CREATE TRIGGER search_documents_lost AFTER UPDATE OF open, digest ON search_documents
WHEN OLD.open = TRUE AND NEW.open = FALSE OR NEW.digest IS NOT OLD.digest BEGIN
    UPDATE search_removals SET n = n + 1 WHERE id = 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER search_documents_removed AFTER DELETE ON search_documents BEGIN
    UPDATE search_removals SET n = n + 1 WHERE id = 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER connections_removed AFTER DELETE ON connections BEGIN
    UPDATE search_removals SET n = n + 1 WHERE id = 1;
END;
-- +goose StatementEnd
