-- +goose Up

-- How the page of a channel shows its contents to readers who have not chosen. '' means as a grid.
ALTER TABLE channels ADD COLUMN layout TEXT NOT NULL DEFAULT '';
