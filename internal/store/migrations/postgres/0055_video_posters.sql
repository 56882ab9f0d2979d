-- +goose Up

-- The image to show of an uploaded video until it plays. The older version ignores it.
ALTER TABLE processings ADD COLUMN poster_upload_id BIGINT;
CREATE INDEX processings_poster ON processings (poster_upload_id) WHERE poster_upload_id IS NOT NULL;
