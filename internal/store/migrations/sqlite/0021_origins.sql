-- +goose Up

-- Where what was brought in from elsewhere comes from, so that bringing it in again makes
-- nothing twice. A row is written in the transaction that makes the thing. It outlives the
-- thing: what was taken away here is not brought back by the next import.
CREATE TABLE origins (
    user_id    BIGINT NOT NULL REFERENCES users (id), -- who brought it in
    origin     TEXT NOT NULL,           -- "https://api.are.na", "bookmarks", …
    kind       TEXT NOT NULL CHECK (kind IN ('Channel', 'Block', 'Connection', 'Comment')),
    foreign_id TEXT NOT NULL,           -- there; of a connection: the channel here, and the item there
    local_id   BIGINT NOT NULL,         -- here
    digest     TEXT NOT NULL,           -- of each field as it came, to see what has changed there or here
    place      BIGINT NOT NULL DEFAULT 0, -- of a connection: grows in the order that it had there
    PRIMARY KEY (user_id, origin, kind, foreign_id)
) WITHOUT ROWID;
CREATE INDEX origins_local ON origins (kind, local_id);
