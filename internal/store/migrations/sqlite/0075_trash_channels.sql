-- +goose Up

-- Feeds and mail addresses of a channel in Trash keep their rows. trash_id takes them out of use.
ALTER TABLE channel_feeds ADD COLUMN trash_id BIGINT REFERENCES trash_things (id) ON DELETE SET NULL;
CREATE INDEX channel_feeds_trash ON channel_feeds (trash_id) WHERE trash_id IS NOT NULL;
ALTER TABLE mailboxes ADD COLUMN trash_id BIGINT REFERENCES trash_things (id) ON DELETE SET NULL;
CREATE INDEX mailboxes_trash ON mailboxes (trash_id) WHERE trash_id IS NOT NULL;

-- All followers of channels in Trash, and those of restored channels until a job has restored them. They replace
-- trash_follows, which had at most 1,000 of a channel, and which a later version drops.
CREATE TABLE trash_followers (
    id          INTEGER PRIMARY KEY, -- that the following had, and has again
    channel_id  BIGINT NOT NULL REFERENCES channels (id),
    follower_id BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX trash_followers_of ON trash_followers (channel_id, id);
CREATE INDEX trash_followers_by ON trash_followers (follower_id, id);

-- How far users had read the texts of blocks in Trash.
CREATE TABLE trash_places (
    thing_id BIGINT NOT NULL REFERENCES trash_things (id) ON DELETE CASCADE,
    user_id  BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    read_at  BIGINT NOT NULL,
    PRIMARY KEY (thing_id, user_id)
) WITHOUT ROWID;
CREATE INDEX trash_places_user ON trash_places (user_id);
