-- +goose Up

-- What changed, for clients that follow the changes. Rows are kept for 30 days.
CREATE TABLE changes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- one writer at a time: the order of commits
    kind       TEXT NOT NULL,
    type       TEXT NOT NULL, -- of the thing that changed
    thing_id   BIGINT NOT NULL,
    channel_id BIGINT, -- of a connection
    item_type  TEXT, -- of a connection; the type and the id of a comment's block or a member otherwise
    item_id    BIGINT,
    actor_id   BIGINT NOT NULL, -- 0 if nobody may see it
    fields     TEXT NOT NULL, -- names of the changed fields, separated by spaces
    audience   TEXT NOT NULL, -- who saw the thing before the change
    created_at BIGINT NOT NULL
);

-- The key of cursors, which a restored backup does not contain, and the last change that was deleted.
CREATE TABLE change_epoch (
    id            BIGINT PRIMARY KEY CHECK (id = 1),
    secret        TEXT NOT NULL,
    forgotten_xid BIGINT NOT NULL,
    forgotten_id  BIGINT NOT NULL
);
INSERT INTO change_epoch (id, secret, forgotten_xid, forgotten_id) VALUES (1, lower(hex(randomblob(32))), 0, 0);
