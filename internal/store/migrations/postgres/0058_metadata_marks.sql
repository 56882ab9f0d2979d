-- +goose Up

-- Documents have marks of their metadata. The job compares all of them again.
UPDATE backfill_progress SET done = 0, repeat_at = 0
WHERE kind = 'refresh_documents' AND EXISTS (SELECT 1 FROM search_documents);
