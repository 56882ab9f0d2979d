-- +goose Up

-- How often the keys of a channel's order were spread again. Cursors contain the number, because a key from before a spread
-- may be at another place.
ALTER TABLE channels ADD COLUMN key_spreads BIGINT NOT NULL DEFAULT 0;
