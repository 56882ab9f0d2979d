-- +goose Up

-- How many connections each user made in a channel, of items that are not private.
CREATE TABLE adder_counts (
    channel_id BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (channel_id, user_id)
) WITHOUT ROWID;

INSERT INTO adder_counts (channel_id, user_id, n)
SELECT channel_id, user_id, count(*) FROM connections WHERE item_private = FALSE GROUP BY channel_id, user_id;

-- How many connections of a channel, of items that are not private, have an
-- item_updated_at whose bits above the lowest `shift` are `bucket`, for shifts of 38, 30
-- and 22: spans of 3.2 days, 18 minutes and 4.2 seconds. Rows of 0 do not stay.
CREATE TABLE updated_counts (
    channel_id BIGINT NOT NULL,
    shift      SMALLINT NOT NULL,
    bucket     BIGINT NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (channel_id, shift, bucket)
) WITHOUT ROWID;

INSERT INTO updated_counts (channel_id, shift, bucket, n)
SELECT channel_id, shift, item_updated_at >> shift, count(*)
FROM connections CROSS JOIN (SELECT 38 AS shift UNION ALL SELECT 30 UNION ALL SELECT 22) AS shifts
WHERE item_private = FALSE GROUP BY channel_id, shift, item_updated_at >> shift;
