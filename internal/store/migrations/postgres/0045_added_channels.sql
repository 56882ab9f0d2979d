-- +goose NO TRANSACTION
-- +goose Up

-- A list of channels by their last addition. Channels to which nothing was ever added come at the time
-- of their creation. The expression is search.addedAt.
CREATE INDEX CONCURRENTLY IF NOT EXISTS channels_added_user ON channels (user_id, visibility,
    (CASE WHEN last_connected_at = 0 THEN created_at ELSE last_connected_at END), id) WHERE state = 'available';
CREATE INDEX CONCURRENTLY IF NOT EXISTS channels_added_owner ON channels (owner_type, owner_id, visibility,
    (CASE WHEN last_connected_at = 0 THEN created_at ELSE last_connected_at END), id) WHERE state = 'available';
