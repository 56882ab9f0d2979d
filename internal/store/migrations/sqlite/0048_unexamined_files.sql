-- +goose Up

-- Images that may be animated and were stored by an older version.
CREATE INDEX IF NOT EXISTS files_unexamined ON files (id)
    WHERE animated IS NULL AND content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif');
