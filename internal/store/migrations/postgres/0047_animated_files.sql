-- +goose Up

-- Pages play animated images and show other images still. NULL means that the file was stored by an
-- older version and not examined yet.
ALTER TABLE files ADD COLUMN animated BOOLEAN;
