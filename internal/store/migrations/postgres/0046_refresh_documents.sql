-- +goose Up

-- How far jobs that look at all rows of a table have come: the key of the last row that they have
-- processed, and the largest possible key once they are done.
CREATE TABLE backfill_progress (
    kind TEXT PRIMARY KEY,
    done BIGINT NOT NULL
);

-- Documents from before URLs were stored in canonical form have other keys and words for Unicode hosts
-- and other unusual URLs.
INSERT INTO backfill_progress (kind, done)
SELECT 'refresh_documents', CASE WHEN EXISTS (SELECT 1 FROM search_documents) THEN 0 ELSE 9223372036854775807 END;
