-- +goose Up

-- The channels that somebody made, and those of a group, by their last change.
CREATE INDEX search_documents_channels ON search_documents (author_id, updated_at) WHERE kind = 'Channel';
CREATE INDEX group_items_channels ON group_items (group_id, updated_at) WHERE kind = 'Channel';

-- Channels of a user that another made.
CREATE INDEX channels_taken ON channels (owner_id, id) WHERE owner_type = 'User' AND user_id <> owner_id;

-- Who has stored most.
CREATE INDEX byte_usage_most ON byte_usage ((unused + files), user_id);
