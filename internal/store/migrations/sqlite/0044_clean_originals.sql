-- +goose Up

-- Files are served without what they reveal besides the picture. clean_size is how many bytes that
-- are: NULL until a file was examined, -1 if it cannot be cleaned. clean_plan says which bytes are
-- left out or replaced, and is NULL if none are.
ALTER TABLE blobs ADD COLUMN clean_size BIGINT;
ALTER TABLE blobs ADD COLUMN clean_plan BLOB;
CREATE INDEX blobs_unexamined ON blobs (id) WHERE clean_size IS NULL AND stored_at IS NOT NULL;

ALTER TABLE files ADD COLUMN keep_metadata BOOLEAN NOT NULL DEFAULT FALSE; -- its owner shows all of it
