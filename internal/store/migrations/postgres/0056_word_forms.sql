-- +goose Up

-- A hash of the texts and rules from which the forms of a document's words were computed. Documents of earlier
-- versions have none.
ALTER TABLE search_documents ADD COLUMN forms_digest BIGINT NOT NULL DEFAULT 0;
