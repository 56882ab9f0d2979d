-- +goose Up

-- What a group has: its live channels, and the blocks in them, each once. What lists sort
-- and filter by is copied from search_documents. Rows follow in the same transaction, and
-- those of a deleted group go by a job.
CREATE TABLE group_items (
    group_id   BIGINT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('Block', 'Channel')),
    item_id    BIGINT NOT NULL,
    type       TEXT NOT NULL, -- kind, or the kind of block
    open_n     BIGINT NOT NULL, -- public and closed channels of the group that it is in; 1 or 0 for a channel
    private_n  BIGINT NOT NULL, -- the same of private channels
    open       BOOLEAN NOT NULL, -- open_n > 0
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (group_id, kind, item_id)
) WITHOUT ROWID;

INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
SELECT owned.group_id, owned.kind, owned.item_id, d.type, owned.open_n, owned.private_n, owned.open_n > 0, d.created_at, d.updated_at FROM (
    SELECT group_id, kind, item_id, CAST(sum(open_n) AS BIGINT) AS open_n, CAST(sum(1 - open_n) AS BIGINT) AS private_n FROM (
        SELECT ch.owner_id AS group_id, c.item_type AS kind, c.item_id AS item_id,
            CASE WHEN ch.visibility = 'private' THEN 0 ELSE 1 END AS open_n
        FROM channels ch JOIN connections c ON c.channel_id = ch.id AND c.item_type = 'Block'
        WHERE ch.owner_type = 'Group' AND ch.state = 'available'
        UNION ALL SELECT owner_id, 'Channel', id, CASE WHEN visibility = 'private' THEN 0 ELSE 1 END
        FROM channels WHERE owner_type = 'Group' AND state = 'available') AS places
    GROUP BY group_id, kind, item_id) AS owned
JOIN search_documents d ON d.kind = owned.kind AND d.item_id = owned.item_id;

CREATE INDEX group_items_created ON group_items (group_id, open, created_at, item_id, type);
CREATE INDEX group_items_updated ON group_items (group_id, open, updated_at, item_id, type);
CREATE INDEX group_items_item ON group_items (kind, item_id);

-- How many blocks and channels somebody made or a group has: `open` are those that all
-- see, `hidden` the others. The sum over the parts counts; there are several so that those
-- who write at once seldom wait for each other.
CREATE TABLE content_counts (
    owner_type TEXT NOT NULL CHECK (owner_type IN ('User', 'Group')),
    owner_id   BIGINT NOT NULL,
    type       TEXT NOT NULL, -- as in search_documents
    part       BIGINT NOT NULL, -- item_id modulo 8
    open       BIGINT NOT NULL,
    hidden     BIGINT NOT NULL,
    PRIMARY KEY (owner_type, owner_id, type, part)
) WITHOUT ROWID;

INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
SELECT owner_type, owner_id, type, part, count(CASE WHEN open THEN 1 END), count(CASE WHEN NOT open THEN 1 END) FROM (
    SELECT 'User' AS owner_type, author_id AS owner_id, type, item_id % 8 AS part, open FROM search_documents WHERE kind IN ('Block', 'Channel')
    UNION ALL SELECT 'Group', group_id, type, item_id % 8, open FROM group_items) AS items
GROUP BY owner_type, owner_id, type, part;
