-- +goose Up

-- Channels that the operator shows on the start page, in the order of their positions.
CREATE TABLE featured_channels (
    channel_id BIGINT PRIMARY KEY REFERENCES channels (id),
    position   BIGINT NOT NULL
);
