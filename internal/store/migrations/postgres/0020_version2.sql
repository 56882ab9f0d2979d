-- +goose Up

-- Whether an application is written for version 2 of the API, whose clients name no scope
-- and expect to write.
ALTER TABLE applications ADD COLUMN for_v2 BOOLEAN NOT NULL DEFAULT FALSE;
