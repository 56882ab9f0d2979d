-- +goose Up

-- Searches that users follow. A search is a query with its operators, which is limited to followed users and channels if
-- `following` is set.
CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    following  BOOLEAN NOT NULL,
    query_hash TEXT NOT NULL, -- of query and following
    notify     BOOLEAN NOT NULL,
    mail       BOOLEAN NOT NULL,
    read_to    BIGINT NOT NULL, -- number of the last document that was checked
    retry_at   BIGINT NOT NULL DEFAULT 0, -- not checked before this time, because a check failed
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (user_id, query_hash)
);
CREATE INDEX saved_searches_due ON saved_searches (read_to, id);

-- New results of a saved search that are shown as one entry.
CREATE TABLE saved_search_finds (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    search_id BIGINT NOT NULL REFERENCES saved_searches (id),
    user_id   BIGINT NOT NULL, -- of the search
    found_at  BIGINT NOT NULL,
    more      BOOLEAN NOT NULL, -- there were more results than are stored
    notify    BOOLEAN NOT NULL, -- it is a notification
    read_at   BIGINT,
    mail_at   BIGINT -- null: not mailed; 0: waits for the next mail; otherwise the time of that mail
);
CREATE INDEX saved_search_finds_search ON saved_search_finds (search_id, id);
CREATE INDEX saved_search_finds_user ON saved_search_finds (user_id, found_at, id);
CREATE INDEX saved_search_finds_unread ON saved_search_finds (user_id, found_at, id) WHERE notify AND read_at IS NULL;
CREATE INDEX saved_search_finds_unmailed ON saved_search_finds (user_id) WHERE mail_at = 0;
CREATE INDEX saved_search_finds_mailed ON saved_search_finds (user_id, mail_at) WHERE mail_at > 0;

CREATE TABLE saved_search_results (
    find_id BIGINT NOT NULL REFERENCES saved_search_finds (id),
    seq     BIGINT NOT NULL, -- number of the document
    kind    TEXT NOT NULL,
    item_id BIGINT NOT NULL,
    PRIMARY KEY (find_id, seq)
) WITHOUT ROWID;

-- When users were last mailed about their saved searches.
CREATE TABLE saved_search_mails (
    user_id   INTEGER PRIMARY KEY REFERENCES users (id),
    mailed_at BIGINT NOT NULL
);

-- Up to which document saved searches are checked. All documents up to `safe` are committed. Those up to `next_seq` are
-- once the transactions `writers` have ended.
CREATE TABLE search_watermark (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    safe     BIGINT NOT NULL,
    next_seq BIGINT NOT NULL,
    next_at  BIGINT NOT NULL, -- when next_seq was the last one
    writers  TEXT NOT NULL
);
