-- +goose Up

-- When the user last confirmed in this session that it is them. NULL if never, or by an older version.
ALTER TABLE sessions ADD COLUMN proved_at BIGINT;
