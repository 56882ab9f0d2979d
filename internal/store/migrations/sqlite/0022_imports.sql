-- +goose Up

-- What users bring in from elsewhere: from another server, or from a file that they sent.
CREATE TABLE imports (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    source     TEXT NOT NULL, -- arena, bookmarks, csv, export
    address    TEXT NOT NULL, -- of the server; '' for a file
    what       TEXT NOT NULL, -- JSON: names of channels, users and groups there
    visibility TEXT NOT NULL, -- of channels that do not say theirs
    choose     BOOLEAN NOT NULL DEFAULT FALSE,
    token      BLOB,          -- of the server, sealed; NULL once it is not needed
    upload_id  BIGINT REFERENCES uploads (id) ON DELETE SET NULL,
    file_name  TEXT NOT NULL,
    state      TEXT NOT NULL,
    reason     TEXT,
    listed     BOOLEAN NOT NULL DEFAULT FALSE, -- its steps are known
    attempts   BIGINT NOT NULL DEFAULT 0,      -- at the present step
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at   BIGINT
);
CREATE UNIQUE INDEX imports_live ON imports (user_id) WHERE ended_at IS NULL; -- one at a time
CREATE INDEX imports_user ON imports (user_id, id);
CREATE INDEX imports_upload ON imports (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL;

-- The channels of an import, or its file, one after the other. Before them all, with the number 0,
-- the channels are made, so that one can stand in another.
CREATE TABLE import_steps (
    import_id   BIGINT NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    n           BIGINT NOT NULL,
    ref         TEXT NOT NULL, -- what the source calls it
    title       TEXT NOT NULL,
    head        TEXT NOT NULL, -- what the source says of the channel, as JSON
    page        BIGINT NOT NULL DEFAULT 1, -- of the source, from which a cut off step goes on
    state       TEXT NOT NULL, -- waiting, done, skipped, failed
    expected    BIGINT NOT NULL DEFAULT 0, -- items
    done        BIGINT NOT NULL DEFAULT 0,
    channels    BIGINT NOT NULL DEFAULT 0,
    blocks      BIGINT NOT NULL DEFAULT 0,
    connections BIGINT NOT NULL DEFAULT 0,
    comments    BIGINT NOT NULL DEFAULT 0,
    files       BIGINT NOT NULL DEFAULT 0,
    bytes       BIGINT NOT NULL DEFAULT 0,
    unchanged   BIGINT NOT NULL DEFAULT 0,
    changed     BIGINT NOT NULL DEFAULT 0,
    moved       BIGINT NOT NULL DEFAULT 0,
    left_out    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (import_id, n)
) WITHOUT ROWID;

-- What could not be taken: the first of it, the rest is only counted.
CREATE TABLE import_left_out (
    import_id BIGINT NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    step      BIGINT NOT NULL,
    n         BIGINT NOT NULL,
    what      TEXT NOT NULL,
    place     TEXT NOT NULL, -- its address, or its line in the file
    why       TEXT NOT NULL,
    PRIMARY KEY (import_id, step, n)
) WITHOUT ROWID;
