-- +goose Up

-- The connections of a channel, made after after_at and up to upto, that still count
-- at their items as the channel was before its visibility, owner or state changed: as
-- one place in an open or in a private channel (open_n, private_n), of a group (0 for
-- none). A job carries the change to them a batch at a time and moves after_at.
CREATE TABLE pending_transitions (
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    after_at   BIGINT NOT NULL,
    upto       BIGINT NOT NULL,
    open_n     BIGINT NOT NULL,
    private_n  BIGINT NOT NULL,
    group_id   BIGINT NOT NULL,
    PRIMARY KEY (channel_id, upto)
);
