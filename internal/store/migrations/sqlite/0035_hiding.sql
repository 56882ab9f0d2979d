-- +goose Up

-- What operators have hidden. A person stands for all that they made, when they were suspended:
-- channels that were hidden with them name their row.
CREATE TABLE hidden_things (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    target_id  BIGINT NOT NULL,
    block_id   BIGINT REFERENCES blocks (id) ON DELETE CASCADE, -- it, or the one that it is a comment on
    owner_id   BIGINT NOT NULL, -- user who answers for it
    label      TEXT NOT NULL,   -- as it was called then
    state      TEXT NOT NULL,   -- hiding and showing while a job is about it, hidden between them
    was        TEXT NOT NULL,   -- visibility that a channel had, '' for others
    with_id    BIGINT REFERENCES hidden_things (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (kind, target_id)
);
CREATE INDEX hidden_things_owner ON hidden_things (owner_id, id);
CREATE INDEX hidden_things_with ON hidden_things (with_id) WHERE with_id IS NOT NULL;
CREATE INDEX hidden_things_block ON hidden_things (block_id) WHERE block_id IS NOT NULL;
CREATE INDEX hidden_things_moving ON hidden_things (id) WHERE state <> 'hidden';

-- Connections that are out of their channels while something is hidden, as they were there.
CREATE TABLE hidden_connections (
    id           INTEGER PRIMARY KEY, -- that it had, and has again
    hidden_id    BIGINT NOT NULL REFERENCES hidden_things (id) ON DELETE CASCADE,
    channel_id   BIGINT NOT NULL REFERENCES channels (id),
    item_type    TEXT NOT NULL,
    item_id      BIGINT NOT NULL,
    block_id     BIGINT REFERENCES blocks (id) ON DELETE CASCADE, -- the item, where it is one
    user_id      BIGINT NOT NULL,
    position_key BIGINT NOT NULL,
    pinned       BOOLEAN NOT NULL,
    metadata     TEXT,
    version      BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX hidden_connections_of ON hidden_connections (hidden_id, id);
CREATE INDEX hidden_connections_block ON hidden_connections (block_id) WHERE block_id IS NOT NULL;
CREATE INDEX hidden_connections_channel ON hidden_connections (channel_id);

-- Comments that are hidden, as they were.
CREATE TABLE hidden_comments (
    id            INTEGER PRIMARY KEY, -- that it had, and has again
    hidden_id     BIGINT NOT NULL REFERENCES hidden_things (id),
    block_id      BIGINT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
    user_id       BIGINT NOT NULL,
    body_markdown TEXT NOT NULL,
    body_html     TEXT NOT NULL,
    body_plain    TEXT NOT NULL,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX hidden_comments_of ON hidden_comments (hidden_id, id);
CREATE INDEX hidden_comments_block ON hidden_comments (block_id);
CREATE INDEX hidden_comments_user ON hidden_comments (user_id);
