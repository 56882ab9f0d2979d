-- +goose Up

-- Documents from before have no forms of their words. The job compares all of them again, and once more
-- a day later, because nodes of the old version may write some in the meantime.
UPDATE backfill_progress SET done = 0, repeat_at = 0
WHERE kind = 'refresh_documents' AND EXISTS (SELECT 1 FROM search_documents);
