-- +goose Up

-- What users take with them: files that are made for them, and kept for a while.
CREATE TABLE exports (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    state      TEXT NOT NULL, -- queued, running, done, failed
    attempts   BIGINT NOT NULL DEFAULT 0,
    object     TEXT NOT NULL DEFAULT '', -- in the storage of files; of the attempt that runs
    size       BIGINT NOT NULL DEFAULT 0,
    expected   BIGINT NOT NULL DEFAULT 0, -- items
    done       BIGINT NOT NULL DEFAULT 0,
    channels   BIGINT NOT NULL DEFAULT 0,
    blocks     BIGINT NOT NULL DEFAULT 0,
    files      BIGINT NOT NULL DEFAULT 0,
    bytes      BIGINT NOT NULL DEFAULT 0, -- of files
    left_out   BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT,
    expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX exports_live ON exports (user_id) WHERE ended_at IS NULL; -- one at a time
CREATE INDEX exports_user ON exports (user_id, id);
CREATE INDEX exports_expiry ON exports (expires_at);
CREATE INDEX exports_object ON exports (object) WHERE object <> '';
