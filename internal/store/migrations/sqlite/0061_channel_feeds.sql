-- +goose Up

-- Feeds whose entries become Link blocks in a channel, on behalf of the subscriber.
CREATE TABLE channel_feeds (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id    BIGINT NOT NULL REFERENCES channels (id),
    user_id       BIGINT NOT NULL REFERENCES users (id), -- the subscriber
    address       TEXT NOT NULL,
    address_key   BIGINT NOT NULL, -- of the page (words.Source)
    title         TEXT NOT NULL DEFAULT '',
    etag          TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    pause         BIGINT NOT NULL DEFAULT 0, -- between the last two checks, in microseconds
    failures      BIGINT NOT NULL DEFAULT 0, -- checks since the last one that succeeded
    problem       TEXT, -- why the last check failed
    next_at       BIGINT, -- NULL if the feed is stopped
    checked_at    BIGINT,
    succeeded_at  BIGINT,
    created_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX channel_feeds_address ON channel_feeds (channel_id, address_key);
CREATE INDEX channel_feeds_user ON channel_feeds (user_id);
CREATE INDEX channel_feeds_next ON channel_feeds (next_at) WHERE next_at IS NOT NULL;

-- Hashes of the ids and links of entries that do not become blocks again.
CREATE TABLE channel_feed_entries (
    feed_id BIGINT NOT NULL REFERENCES channel_feeds (id),
    key     BIGINT NOT NULL,
    seen_at BIGINT NOT NULL, -- when the feed last listed it
    PRIMARY KEY (feed_id, key)
) WITHOUT ROWID;
