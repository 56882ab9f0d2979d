-- +goose Up

-- Progress of jobs that process all rows of a table. done is the key of the last processed row, or the
-- largest possible key at the end of a pass. The job starts another pass at repeat_at, because nodes of
-- the old version may write rows that it has already processed. repeat_at is 0 during the first pass, and
-- the largest possible time if no other pass follows.
CREATE TABLE backfill_progress (
    kind TEXT PRIMARY KEY,
    done BIGINT NOT NULL,
    repeat_at BIGINT NOT NULL DEFAULT 0
);

-- Documents from before URLs were stored in canonical form have other keys and words for Unicode hosts
-- and other unusual URLs.
INSERT INTO backfill_progress (kind, done)
SELECT 'refresh_documents', CASE WHEN EXISTS (SELECT 1 FROM search_documents) THEN 0 ELSE 9223372036854775807 END;
