-- +goose Up

-- When the address of a Link is requested next, to find out whether its page still exists. NULL means that this has not
-- been decided: the block is of an older version, or new. dead_at is when its page was last found to be gone.
ALTER TABLE blocks ADD COLUMN check_at BIGINT;
ALTER TABLE blocks ADD COLUMN dead_at BIGINT;
CREATE INDEX blocks_unscheduled ON blocks (id) WHERE type = 'Link' AND check_at IS NULL;
CREATE INDEX blocks_check ON blocks (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX blocks_dead ON blocks (user_id, dead_at) WHERE dead_at IS NOT NULL;

-- Links whose last requests failed, one after the other.
CREATE TABLE link_failures (
    block_id BIGINT PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
    since    BIGINT NOT NULL, -- the first of these requests
    times    BIGINT NOT NULL,
    reason   TEXT NOT NULL    -- of the last one, as people read it
);
