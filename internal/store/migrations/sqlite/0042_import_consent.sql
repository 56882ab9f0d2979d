-- +goose Up

-- Whether the owner of an import allows it to add to channels that everyone can see although it
-- asks for private ones.
ALTER TABLE imports ADD COLUMN into_visible BOOLEAN NOT NULL DEFAULT FALSE;
