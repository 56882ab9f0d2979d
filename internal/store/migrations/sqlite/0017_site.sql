-- +goose Up

-- What the site says of itself: one row. Its version grows with every change, of legal
-- pages too, so that a server sees by one look whether what it remembers still holds.
CREATE TABLE site (
    id                    BIGINT PRIMARY KEY CHECK (id = 1),
    name                  TEXT NOT NULL,
    about_markdown        TEXT,
    about_html            TEXT,
    about_plain           TEXT,
    picture_id            BIGINT REFERENCES files (id),
    announcement_markdown TEXT,
    announcement_html     TEXT,
    announcement_plain    TEXT,
    announcement_version  BIGINT NOT NULL DEFAULT 0, -- which announcement it is
    version               BIGINT NOT NULL DEFAULT 1,
    updated_at            BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
INSERT INTO site (id, name) VALUES (1, 'Vitrine');

-- Pages of the operator's own, such as an imprint, in the order in which they were made.
CREATE TABLE legal_pages (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    slug          TEXT NOT NULL UNIQUE,
    title         TEXT NOT NULL,
    body_markdown TEXT NOT NULL,
    body_html     TEXT NOT NULL,
    body_plain    TEXT NOT NULL,
    version       BIGINT NOT NULL DEFAULT 1,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- Which secret the addresses of a user's private feeds have. A user without a row has the first.
CREATE TABLE feed_versions (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    version BIGINT NOT NULL
) WITHOUT ROWID;

-- Channels that a user keeps at hand.
CREATE TABLE pins (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, channel_id)
) WITHOUT ROWID;
