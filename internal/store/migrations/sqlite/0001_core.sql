-- +goose Up

-- Instants are microseconds since 1970-01-01 UTC. `version` grows by one with every
-- change to what a row shows of itself; `face_version` only with what is shown of it
-- inside other resources (name, slug, avatar).

CREATE TABLE users (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    slug            TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    email           TEXT NOT NULL UNIQUE, -- lower case
    password_hash   TEXT NOT NULL,        -- argon2id, PHC form; empty: no password
    bio_markdown    TEXT,
    bio_html        TEXT,
    bio_plain       TEXT,
    avatar          TEXT,
    tier            TEXT NOT NULL CHECK (tier IN ('free', 'premium', 'supporter')),
    open_channels   BIGINT NOT NULL DEFAULT 0, -- live channels owned, public and closed
    private_channels BIGINT NOT NULL DEFAULT 0,
    followers_count BIGINT NOT NULL DEFAULT 0,
    following_count BIGINT NOT NULL DEFAULT 0,
    unread_count    BIGINT NOT NULL DEFAULT 0, -- notifications not yet read
    suspended_at    BIGINT,
    version         BIGINT NOT NULL DEFAULT 1,
    face_version    BIGINT NOT NULL DEFAULT 1,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);

CREATE TABLE groups (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    slug                 TEXT NOT NULL UNIQUE,
    name                 TEXT NOT NULL,
    description_markdown TEXT,
    description_html     TEXT,
    description_plain    TEXT,
    avatar               TEXT,
    owner_id             BIGINT NOT NULL REFERENCES users (id),
    open_channels        BIGINT NOT NULL DEFAULT 0,
    private_channels     BIGINT NOT NULL DEFAULT 0,
    users_count          BIGINT NOT NULL DEFAULT 0, -- members, the owner included
    version              BIGINT NOT NULL DEFAULT 1,
    face_version         BIGINT NOT NULL DEFAULT 1,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL
);

-- Everyone in a group; its owner has a row too.
CREATE TABLE group_members (
    group_id   BIGINT NOT NULL REFERENCES groups (id),
    user_id    BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (group_id, user_id)
) WITHOUT ROWID;
CREATE INDEX group_members_user ON group_members (user_id, group_id);

-- Every slug that was ever given, so that none is given twice and old addresses resolve.
CREATE TABLE slugs (
    kind       TEXT NOT NULL CHECK (kind IN ('User', 'Group', 'Channel')),
    slug       TEXT NOT NULL,
    target_id  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (kind, slug)
) WITHOUT ROWID;

CREATE TABLE tokens (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      BIGINT NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    hint         TEXT NOT NULL,            -- its first characters, to tell tokens apart
    scope        TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    last_used_at BIGINT,
    revoked_at   BIGINT,
    created_at   BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id, id);

CREATE TABLE channels (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    slug                 TEXT NOT NULL UNIQUE,
    title                TEXT NOT NULL,
    description_markdown TEXT,
    description_html     TEXT,
    description_plain    TEXT,
    visibility           TEXT NOT NULL CHECK (visibility IN ('public', 'closed', 'private')),
    state                TEXT NOT NULL DEFAULT 'available' CHECK (state IN ('available', 'deleted')),
    owner_type           TEXT NOT NULL CHECK (owner_type IN ('User', 'Group')),
    owner_id             BIGINT NOT NULL,
    user_id              BIGINT NOT NULL REFERENCES users (id), -- who made it
    metadata             TEXT, -- JSON object
    blocks_count         BIGINT NOT NULL DEFAULT 0,
    channels_count       BIGINT NOT NULL DEFAULT 0,
    private_count        BIGINT NOT NULL DEFAULT 0, -- of channels_count, the private ones
    collaborators_count  BIGINT NOT NULL DEFAULT 0,
    last_connected_at    BIGINT NOT NULL DEFAULT 0, -- newest connections.created_at ever given out here
    version              BIGINT NOT NULL DEFAULT 1,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL
);
CREATE INDEX channels_owner ON channels (owner_type, owner_id, visibility);
CREATE INDEX channels_user ON channels (user_id, created_at, id);

CREATE TABLE collaborators (
    channel_id  BIGINT NOT NULL REFERENCES channels (id),
    member_type TEXT NOT NULL CHECK (member_type IN ('User', 'Group')),
    member_id   BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (channel_id, member_type, member_id)
) WITHOUT ROWID;
CREATE INDEX collaborators_member ON collaborators (member_type, member_id, channel_id);

CREATE TABLE blocks (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id              BIGINT NOT NULL REFERENCES users (id),
    type                 TEXT NOT NULL CHECK (type IN ('Text', 'Image', 'Link', 'Attachment', 'Embed', 'PendingBlock')),
    state                TEXT NOT NULL CHECK (state IN ('processing', 'available', 'failed')),
    title                TEXT,
    description_markdown TEXT,
    description_html     TEXT,
    description_plain    TEXT,
    content_markdown     TEXT,
    content_html         TEXT,
    content_plain        TEXT,
    value_url            TEXT, -- the URL that the block was made from
    source_url           TEXT,
    source_title         TEXT,
    alt_text             TEXT,
    metadata             TEXT, -- JSON object
    open_count           BIGINT NOT NULL DEFAULT 0, -- live channels it is in, public and closed
    private_count        BIGINT NOT NULL DEFAULT 0,
    comment_count        BIGINT NOT NULL DEFAULT 0,
    version              BIGINT NOT NULL DEFAULT 1,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL
);
CREATE INDEX blocks_user ON blocks (user_id, created_at, id);

-- One item in one channel. Both keys are unique within a channel and are given out while
-- the channel's row is locked: position_key orders by hand, created_at by time.
CREATE TABLE connections (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id      BIGINT NOT NULL REFERENCES channels (id),
    item_type       TEXT NOT NULL CHECK (item_type IN ('Block', 'Channel')),
    item_id         BIGINT NOT NULL,
    item_private    BOOLEAN NOT NULL DEFAULT FALSE, -- the item is a private channel
    item_updated_at BIGINT NOT NULL,                -- updated_at of the item
    user_id         BIGINT NOT NULL REFERENCES users (id), -- who connected it
    position_key    BIGINT NOT NULL,
    pinned          BOOLEAN NOT NULL DEFAULT FALSE,
    metadata        TEXT, -- JSON object
    version         BIGINT NOT NULL DEFAULT 1,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    UNIQUE (channel_id, item_type, item_id)
);
CREATE INDEX connections_position ON connections (channel_id, item_private, position_key);
CREATE INDEX connections_created ON connections (channel_id, item_private, created_at);
CREATE INDEX connections_updated ON connections (channel_id, item_private, item_updated_at, id);
CREATE INDEX connections_adder ON connections (channel_id, user_id, position_key);
CREATE INDEX connections_item ON connections (item_type, item_id, created_at, id);

-- Order statistics over the connections of a channel: for each sort (0 by position_key,
-- 1 by created_at) a tree of counts. A node of level 0 covers the connections whose key is
-- at least first_key and below the next node's; a node of level L the nodes of level L-1
-- in the same way. The first node of a level has the least 64-bit integer as first_key.
CREATE TABLE order_nodes (
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    sort       SMALLINT NOT NULL,
    level      SMALLINT NOT NULL,
    first_key  BIGINT NOT NULL,
    n          BIGINT NOT NULL, -- connections below
    n_private  BIGINT NOT NULL, -- of these, with item_private
    PRIMARY KEY (channel_id, sort, level, first_key)
) WITHOUT ROWID;
