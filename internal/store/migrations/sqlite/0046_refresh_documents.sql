-- +goose Up

-- How far jobs that look at all rows of a table have come: the key of the last row that they have
-- processed, and the largest possible key after the last one. Then they start again at repeat_at: during
-- an upgrade, nodes of the old version write rows where the job has already been. 0 means that the first
-- pass has not ended, and the largest possible time that there is no other pass.
CREATE TABLE backfill_progress (
    kind TEXT PRIMARY KEY,
    done BIGINT NOT NULL,
    repeat_at BIGINT NOT NULL DEFAULT 0
);

-- Documents from before URLs were stored in canonical form have other keys and words for Unicode hosts
-- and other unusual URLs.
INSERT INTO backfill_progress (kind, done)
SELECT 'refresh_documents', CASE WHEN EXISTS (SELECT 1 FROM search_documents) THEN 0 ELSE 9223372036854775807 END;
