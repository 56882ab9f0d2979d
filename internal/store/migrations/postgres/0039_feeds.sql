-- +goose Up

-- Feeds are read from activities alone; nothing is copied into them any more. So that a program
-- of the version before reads them too, and goes on doing so with what it writes itself, it finds
-- every source pulled and nothing copied. What it asks for is still there: the version after this
-- one drops both columns and feed_entries.
--
-- A column that is dropped and added with a constant default changes the catalogue alone: no row
-- is written, and all change at one instant, for transactions that have begun as well, but for
-- those that have looked at one of the tables: they end first.
TRUNCATE feed_entries;
ALTER TABLE feed_sources DROP COLUMN pulled;
ALTER TABLE feed_sources ADD COLUMN pulled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE follows DROP COLUMN copied_from; -- and the index follows_pulled with it
ALTER TABLE follows ADD COLUMN copied_from BIGINT NOT NULL DEFAULT 9223372036854775807;
