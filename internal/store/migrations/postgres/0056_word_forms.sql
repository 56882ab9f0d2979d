-- +goose Up

-- A hash of what the forms of a document's words were computed from. Documents from before have none. The job
-- compares all of them again, and once more a day later, because nodes of the old version may write some in the
-- meantime.
ALTER TABLE search_documents ADD COLUMN forms_digest BIGINT NOT NULL DEFAULT 0;
UPDATE backfill_progress SET done = 0, repeat_at = 0
WHERE kind = 'refresh_documents' AND EXISTS (SELECT 1 FROM search_documents);
