-- +goose Up

-- What was made by requests that carry a key of their sender's, so that the same request
-- sent again makes nothing. The row is written in the transaction that makes the thing.
CREATE TABLE once_keys (
    hash       BLOB NOT NULL PRIMARY KEY, -- SHA-256 of user and key
    user_id    BIGINT NOT NULL REFERENCES users (id),
    kind       TEXT NOT NULL,             -- of what was made: Block, Channel
    made_id    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX once_keys_user ON once_keys (user_id);
CREATE INDEX once_keys_expires ON once_keys (expires_at);

-- What users took out of channels a short while ago, so that they can put it back.
CREATE TABLE removals (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    items      TEXT NOT NULL, -- JSON: each connection as it was
    undone     BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX removals_user ON removals (user_id);
CREATE INDEX removals_channel ON removals (channel_id);
CREATE INDEX removals_expires ON removals (expires_at);
