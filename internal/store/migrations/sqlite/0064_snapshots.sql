-- +goose Up

-- Saved copies of the pages of blocks. Their bytes count towards a quota of their own, so they have no row in files.
CREATE TABLE snapshots (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    block_id     BIGINT REFERENCES blocks (id) ON DELETE CASCADE, -- null while the block is in Trash
    trash_id     BIGINT REFERENCES trash_things (id) ON DELETE CASCADE, -- where the block is then
    user_id      BIGINT NOT NULL REFERENCES users (id), -- whose quota it counts towards
    source       TEXT NOT NULL, -- browser or server
    kind         TEXT NOT NULL, -- page, screenshot or pdf
    shared       BOOLEAN NOT NULL DEFAULT FALSE, -- everyone who sees the block sees it
    blob_id      BIGINT NOT NULL REFERENCES blobs (id),
    content_type TEXT NOT NULL,
    size         BIGINT NOT NULL,
    address      TEXT NOT NULL, -- of the page
    title        TEXT NOT NULL,
    text         TEXT NOT NULL, -- of the page
    article      BOOLEAN NOT NULL, -- the text is the Markdown of an article
    taken_at     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE INDEX snapshots_block ON snapshots (block_id, taken_at, id);
CREATE INDEX snapshots_trash ON snapshots (trash_id) WHERE trash_id IS NOT NULL;
CREATE INDEX snapshots_user ON snapshots (user_id, size);
CREATE INDEX snapshots_blob ON snapshots (blob_id);
