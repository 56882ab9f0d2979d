-- +goose Up

-- Backups that were begun. While one is being made, and its process alive, nothing that was
-- kept when it began is removed from the storage of files: until held_until, which its
-- process moves on.
CREATE TABLE backups (
    id         TEXT NOT NULL PRIMARY KEY,
    scheduled  BOOLEAN NOT NULL, -- by the setting, not by somebody
    started_at BIGINT NOT NULL,
    held_until BIGINT NOT NULL,
    ended_at   BIGINT,
    copy       TEXT NOT NULL DEFAULT '', -- the name of the copy that was made
    row_count  BIGINT NOT NULL DEFAULT 0,
    file_count BIGINT NOT NULL DEFAULT 0,
    file_bytes BIGINT NOT NULL DEFAULT 0,
    written    BIGINT NOT NULL DEFAULT 0, -- bytes that were not there from an earlier one
    missing    BIGINT NOT NULL DEFAULT 0, -- files that the storage did not have
    error      TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX backups_started ON backups (started_at);
CREATE INDEX backups_running ON backups (held_until) WHERE ended_at IS NULL;
-- One that is scheduled runs at a time, on whichever server.
CREATE UNIQUE INDEX backups_scheduled ON backups (scheduled) WHERE scheduled AND ended_at IS NULL;
