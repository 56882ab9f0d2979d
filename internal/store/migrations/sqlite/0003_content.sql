-- +goose Up

-- Bytes that are kept, once for each content. A row without `stored_at` stands for
-- bytes that may be on their way; one that nothing has used for a day is removed,
-- and its object after it.
CREATE TABLE blobs (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    hash      TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal
    object    TEXT NOT NULL UNIQUE, -- its name in the storage
    size      BIGINT NOT NULL,
    stored_at BIGINT,
    used_at   BIGINT NOT NULL -- when something last began to use it
);
CREATE INDEX blobs_used ON blobs (used_at);

-- Objects whose row is gone and which are still to be removed from the storage.
CREATE TABLE doomed_objects (
    object     TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;

-- A file that is shown: a blob under an address that nobody guesses.
CREATE TABLE files (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    key          TEXT NOT NULL UNIQUE,
    blob_id      BIGINT NOT NULL REFERENCES blobs (id),
    name         TEXT NOT NULL, -- as its owner calls it
    content_type TEXT NOT NULL,
    extension    TEXT NOT NULL, -- without the dot
    size         BIGINT NOT NULL,
    width        BIGINT, -- of images, upright
    height       BIGINT,
    blurhash     TEXT,
    resized      TEXT NOT NULL DEFAULT '', -- extension of its resized versions; empty: it stands for them itself
    created_at   BIGINT NOT NULL
);
CREATE INDEX files_blob ON files (blob_id);

ALTER TABLE blocks ADD COLUMN image_id BIGINT REFERENCES files (id); -- the image, or the preview
ALTER TABLE blocks ADD COLUMN file_id BIGINT REFERENCES files (id);  -- of an Attachment
ALTER TABLE blocks ADD COLUMN embed TEXT; -- JSON object, of an Embed

CREATE INDEX blocks_image ON blocks (image_id) WHERE image_id IS NOT NULL;
CREATE INDEX blocks_file ON blocks (file_id) WHERE file_id IS NOT NULL;

-- Bytes that a user may send, or has sent, to make a block or an avatar of.
CREATE TABLE uploads (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    key          TEXT NOT NULL UNIQUE,
    user_id      BIGINT NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    content_type TEXT NOT NULL,
    blob_id      BIGINT REFERENCES blobs (id), -- once this server has the bytes
    expires_at   BIGINT NOT NULL, -- of the address to send them to
    created_at   BIGINT NOT NULL
);
CREATE INDEX uploads_created ON uploads (created_at);
CREATE INDEX uploads_blob ON uploads (blob_id);

-- How the content of blocks that are made from an address or an upload is got.
CREATE TABLE processings (
    block_id   BIGINT PRIMARY KEY REFERENCES blocks (id),
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    attempts   BIGINT NOT NULL DEFAULT 0,
    reason     TEXT, -- why the last attempt failed, in words that its author may read
    upload_id  BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX processings_upload ON processings (upload_id);

-- The picture that a user or group is to show once it has been got: the last one wished
-- for, or neither address nor upload if it was taken back.
CREATE TABLE avatar_wishes (
    owner_type TEXT NOT NULL CHECK (owner_type IN ('User', 'Group')),
    owner_id   BIGINT NOT NULL,
    n          BIGINT NOT NULL,
    url        TEXT,
    upload_id  BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner_type, owner_id)
) WITHOUT ROWID;
CREATE INDEX avatar_wishes_upload ON avatar_wishes (upload_id);

-- Blocks that are made in the background, in order, each once.
CREATE TABLE batches (
    id           TEXT PRIMARY KEY, -- UUID
    user_id      BIGINT NOT NULL REFERENCES users (id),
    tier         TEXT NOT NULL, -- of the user when it was taken
    scope        TEXT NOT NULL, -- of the token
    channels     TEXT NOT NULL, -- JSON: where to, in order
    total        BIGINT NOT NULL,
    attempts     BIGINT NOT NULL DEFAULT 0, -- to make what is not made yet
    started_at   BIGINT,
    completed_at BIGINT,
    error        TEXT, -- why no more of its items are made
    created_at   BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX batches_created ON batches (created_at);

CREATE TABLE batch_items (
    batch_id TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    n        BIGINT NOT NULL, -- from 0
    input    TEXT NOT NULL, -- JSON: what to make; empty once that is made or has failed
    block_id BIGINT, -- once it is made
    error    TEXT, -- why it is not
    PRIMARY KEY (batch_id, n)
);
