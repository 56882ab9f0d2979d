-- +goose Up

-- When this server takes copies of pages: 'never', 'on-request' or 'always'. '' means as its channels for a block, and as the
-- site for a channel.
ALTER TABLE channels ADD COLUMN snapshots TEXT NOT NULL DEFAULT '';
ALTER TABLE blocks ADD COLUMN snapshots TEXT NOT NULL DEFAULT '';

-- Parts of a page that its copy lacks, as a JSON list of addresses and reasons. omitted also counts those that are not listed.
ALTER TABLE snapshots ADD COLUMN missing TEXT NOT NULL DEFAULT '[]';
ALTER TABLE snapshots ADD COLUMN omitted BIGINT NOT NULL DEFAULT 0;
