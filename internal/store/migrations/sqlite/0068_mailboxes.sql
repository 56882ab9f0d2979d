-- +goose Up

-- Secret addresses whose mails become Text blocks in a channel, on behalf of the user who created the address.
CREATE TABLE mailboxes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id  BIGINT NOT NULL REFERENCES channels (id),
    user_id     BIGINT NOT NULL REFERENCES users (id),
    token       TEXT NOT NULL UNIQUE, -- the part before the @
    received    BIGINT NOT NULL DEFAULT 0, -- number of mails
    received_at BIGINT, -- the last one
    created_at  BIGINT NOT NULL
);
CREATE INDEX mailboxes_channel ON mailboxes (channel_id);
CREATE INDEX mailboxes_user ON mailboxes (user_id);

-- Hashes of the ids of mails that do not become blocks again.
CREATE TABLE mailbox_mails (
    mailbox_id  BIGINT NOT NULL REFERENCES mailboxes (id),
    key         BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (mailbox_id, key)
) WITHOUT ROWID;
