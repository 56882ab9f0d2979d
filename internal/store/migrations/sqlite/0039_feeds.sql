-- +goose Up

-- Feeds are read from activities alone; nothing is copied into them any more. So that a program
-- of the version before reads them too, and goes on doing so with what it writes itself, it finds
-- every source pulled and nothing copied. What it asks for is still there: the version after this
-- one drops both columns and feed_entries.
DELETE FROM feed_entries;
ALTER TABLE feed_sources DROP COLUMN pulled;
ALTER TABLE feed_sources ADD COLUMN pulled BOOLEAN NOT NULL DEFAULT TRUE;
DROP INDEX follows_pulled;
ALTER TABLE follows DROP COLUMN copied_from;
ALTER TABLE follows ADD COLUMN copied_from BIGINT NOT NULL DEFAULT 9223372036854775807;
