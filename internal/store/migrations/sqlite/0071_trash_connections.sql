-- +goose Up

-- Trash also has connections that somebody removed from a channel: things of the kind Connection (docs/design/trash.md).
CREATE INDEX trash_things_removed ON trash_things (deleted_by, id) WHERE kind = 'Connection';
CREATE INDEX trash_connections_item ON trash_connections (item_type, item_id);
