-- +goose Up

-- Pages play animated images and show other images still. NULL means that the file was stored by an
-- older version and not examined yet.
ALTER TABLE files ADD COLUMN animated BOOLEAN;
CREATE INDEX files_unexamined ON files (id)
    WHERE animated IS NULL AND content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif');
