-- +goose Up

-- What lists and search go by, one row for each block, live channel, user and group. It
-- follows the thing's own row in the same transaction.
CREATE TABLE search_documents (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('Block', 'Channel', 'User', 'Group')),
    item_id    BIGINT NOT NULL,
    type       TEXT NOT NULL, -- kind, or the kind of block
    author_id  BIGINT NOT NULL, -- who made it; a user is their own
    open       BOOLEAN NOT NULL, -- anyone may see it
    links      BIGINT NOT NULL DEFAULT 0, -- live channels it is in, public and closed
    name_key   TEXT NOT NULL DEFAULT '', -- how its name reads in plain letters
    extension  TEXT NOT NULL DEFAULT '', -- of its file
    source_key BIGINT NOT NULL DEFAULT 0, -- of the page it is from (words.Source)
    value_key  BIGINT NOT NULL DEFAULT 0, -- of the page it was made from
    random_key BIGINT NOT NULL, -- 0 or more, given once
    digest     BIGINT, -- of its words; null until they are in search_words
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (kind, item_id)
);
CREATE INDEX search_documents_author_created ON search_documents (author_id, open, created_at, item_id, type);
CREATE INDEX search_documents_author_updated ON search_documents (author_id, open, updated_at, item_id, type);
CREATE INDEX search_documents_created ON search_documents (open, created_at, item_id, type);
CREATE INDEX search_documents_updated ON search_documents (open, updated_at, item_id, type);
CREATE INDEX search_documents_name ON search_documents (open, name_key, item_id, type);
CREATE INDEX search_documents_links ON search_documents (open, links, item_id, type);
CREATE INDEX search_documents_random ON search_documents (open, random_key, item_id, type);
CREATE INDEX search_documents_source ON search_documents (source_key) WHERE source_key <> 0;
CREATE INDEX search_documents_value ON search_documents (value_key) WHERE value_key <> 0;
CREATE INDEX search_documents_pending ON search_documents (seq) WHERE digest IS NULL;

INSERT INTO search_documents (kind, item_id, type, author_id, open, links, name_key, random_key, created_at, updated_at)
SELECT kind, item_id, type, author_id, open, links, '', random() & 9223372036854775807, created_at, updated_at FROM (
    SELECT 'Block' AS kind, id AS item_id, type, user_id AS author_id, open_count > 0 AS open, open_count AS links,
        created_at, updated_at FROM blocks
    UNION ALL SELECT 'Channel', id, 'Channel', user_id, visibility <> 'private', (
        SELECT count(*) FROM connections c JOIN channels p ON p.id = c.channel_id
        WHERE c.item_type = 'Channel' AND c.item_id = channels.id AND p.state = 'available' AND p.visibility <> 'private'),
        created_at, updated_at FROM channels WHERE state = 'available'
    UNION ALL SELECT 'User', id, 'User', id, TRUE, 0, created_at, updated_at FROM users
    UNION ALL SELECT 'Group', id, 'Group', owner_id, TRUE, 0, created_at, updated_at FROM groups
) AS things ORDER BY created_at, item_id;

-- The words of documents, by the same number. A job writes those of older rows.
CREATE VIRTUAL TABLE search_words USING fts5 (title, body,
    content='', contentless_delete=1, tokenize="ascii tokenchars '_'", prefix='1 2');
