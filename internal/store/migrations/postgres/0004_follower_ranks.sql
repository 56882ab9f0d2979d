-- +goose Up

-- Followers are listed by the id of their following, which is given out while the source
-- is locked.
DROP INDEX follows_followed;
CREATE INDEX follows_followed ON follows (followed_type, followed_id, id);

-- How many followings of a thing have an id from first_follow to below that of its next
-- row: so a page is found without walking to it.
CREATE TABLE follower_ranks (
    followed_type TEXT NOT NULL,
    followed_id   BIGINT NOT NULL,
    first_follow  BIGINT NOT NULL,
    followings    BIGINT NOT NULL,
    PRIMARY KEY (followed_type, followed_id, first_follow)
);
INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
SELECT followed_type, followed_id, min(id), count(*) FROM (
    SELECT followed_type, followed_id, id,
        (row_number() OVER (PARTITION BY followed_type, followed_id ORDER BY id) - 1) / 1000 AS part FROM follows) AS f
GROUP BY followed_type, followed_id, part;

-- By hash, so that nobody's notifications are looked for by walking through everybody's.
DROP INDEX notifications_activity;
CREATE INDEX notifications_activity ON notifications USING hash (activity_id);
