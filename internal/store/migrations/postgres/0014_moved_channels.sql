-- +goose Up

-- A channel's updated_at moves with what is added to it, so that connections keep no copy
-- of it any more, and updated_counts has blocks alone.
DELETE FROM updated_counts;
INSERT INTO updated_counts (channel_id, shift, bucket, n)
SELECT channel_id, shift, item_updated_at >> shift, count(*)
FROM connections CROSS JOIN (SELECT 38 AS shift UNION ALL SELECT 30 UNION ALL SELECT 22) AS shifts
WHERE item_type = 'Block' GROUP BY channel_id, shift, item_updated_at >> shift;
DROP INDEX connections_updated;
UPDATE connections SET item_updated_at = 0 WHERE item_type = 'Channel';
CREATE INDEX connections_updated ON connections (channel_id, item_updated_at, id) WHERE item_type = 'Block';

UPDATE channels SET updated_at = last_connected_at, version = version + 1 WHERE updated_at < last_connected_at;
UPDATE search_documents SET updated_at = (SELECT ch.updated_at FROM channels ch WHERE ch.id = search_documents.item_id)
WHERE kind = 'Channel'
    AND updated_at < (SELECT ch.updated_at FROM channels ch WHERE ch.id = search_documents.item_id);
UPDATE group_items SET updated_at = (SELECT ch.updated_at FROM channels ch WHERE ch.id = group_items.item_id)
WHERE kind = 'Channel'
    AND updated_at < (SELECT ch.updated_at FROM channels ch WHERE ch.id = group_items.item_id);

-- Of the notifications of a user the newest 1,000 can be unread.
UPDATE inboxes SET unread = 1000, read_upto = COALESCE((SELECT n.activity_id FROM notifications n
    WHERE n.user_id = inboxes.user_id AND n.read_at IS NULL AND n.activity_id > inboxes.read_upto
    ORDER BY n.activity_id DESC LIMIT 1 OFFSET 1000), read_upto)
WHERE unread > 1000;

-- Private channels that another owns than who made them.
CREATE INDEX channels_given ON channels (user_id) WHERE visibility = 'private' AND (owner_type <> 'User' OR owner_id <> user_id);
