-- +goose Up

-- Who follows whom or what. Activities with an id below `copied_from` are not in the
-- follower's feed_entries but fetched when the feed is read: 0 when all are copied, the
-- greatest integer when none are.
CREATE TABLE follows (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    follower_id   BIGINT NOT NULL REFERENCES users (id),
    followed_type TEXT NOT NULL CHECK (followed_type IN ('User', 'Group', 'Channel')),
    followed_id   BIGINT NOT NULL,
    copied_from   BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    UNIQUE (follower_id, followed_type, followed_id)
);
CREATE INDEX follows_followed ON follows (followed_type, followed_id, created_at, id);
CREATE INDEX follows_follower ON follows (follower_id, created_at, id);
CREATE INDEX follows_pulled ON follows (follower_id, copied_from) WHERE copied_from > 0;
CREATE INDEX follows_follower_type ON follows (follower_id, followed_type, created_at, id);

CREATE TABLE comments (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    block_id      BIGINT NOT NULL REFERENCES blocks (id),
    user_id       BIGINT NOT NULL REFERENCES users (id),
    body_markdown TEXT NOT NULL,
    body_html     TEXT NOT NULL,
    body_plain    TEXT NOT NULL,
    version       BIGINT NOT NULL DEFAULT 1,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX comments_block ON comments (block_id, created_at, id);
CREATE INDEX comments_user ON comments (user_id, block_id);

-- What groups are ordered by when ordered by name.
ALTER TABLE groups ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE groups SET name_key = lower(name);
CREATE INDEX group_members_newest ON group_members (group_id, created_at, user_id);

-- Invitations of one person to a group, by account or by address.
CREATE TABLE invitations (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id      BIGINT NOT NULL REFERENCES groups (id),
    invitee_id    BIGINT REFERENCES users (id), -- the account, once there is one
    invitee_email TEXT, -- lower case; set where an address was invited, not a user as such
    invited_by    BIGINT NOT NULL REFERENCES users (id),
    token_hash    BLOB NOT NULL UNIQUE, -- SHA-256 of the token in the mail
    state         TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'accepted', 'declined', 'revoked', 'expired')),
    mailed_at     BIGINT, -- when the mail was handed over; never twice
    accepted_at   BIGINT,
    expires_at    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX invitations_open_user ON invitations (group_id, invitee_id) WHERE state = 'pending' AND invitee_id IS NOT NULL;
CREATE UNIQUE INDEX invitations_open_email ON invitations (group_id, invitee_email) WHERE state = 'pending' AND invitee_email IS NOT NULL;
CREATE INDEX invitations_group ON invitations (group_id, state, created_at, id);
CREATE INDEX invitations_email ON invitations (invitee_email, state);

-- The one reusable invite of a group. Its code is shown again and again, so it is kept as it is.
CREATE TABLE group_invites (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id   BIGINT NOT NULL UNIQUE REFERENCES groups (id),
    code       TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- What somebody did. Subjects may be gone: whether an activity is shown is judged when it is read.
CREATE TABLE activities (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    actor_id    BIGINT NOT NULL REFERENCES users (id),
    item_type   TEXT NOT NULL, -- User, Group, Channel, Block, Comment
    item_id     BIGINT NOT NULL,
    target_type TEXT,
    target_id   BIGINT,
    channel_id  BIGINT, -- where it was done
    group_id    BIGINT, -- that owned the channel then, or that was joined
    created_at  BIGINT NOT NULL
);
CREATE INDEX activities_actor ON activities (actor_id, id);
CREATE INDEX activities_channel ON activities (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX activities_group ON activities (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX activities_item ON activities (item_type, item_id);
CREATE INDEX activities_target ON activities (target_type, target_id) WHERE target_id IS NOT NULL;

-- One row for each thing that was ever followed or did something: the lock between a new
-- follower and a new activity. `pulled` is set for good when it has so many followers
-- that its activities are copied to none of them.
CREATE TABLE feed_sources (
    source_type TEXT NOT NULL CHECK (source_type IN ('User', 'Group', 'Channel')),
    source_id   BIGINT NOT NULL,
    followers   BIGINT NOT NULL DEFAULT 0,
    pulled      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (source_type, source_id)
) WITHOUT ROWID;

-- Activities of what a user follows, copied when they happen or when the following begins.
CREATE TABLE feed_entries (
    user_id     BIGINT NOT NULL,
    activity_id BIGINT NOT NULL,
    follow_id   BIGINT NOT NULL,
    PRIMARY KEY (user_id, activity_id, follow_id)
) WITHOUT ROWID;
CREATE INDEX feed_entries_follow ON feed_entries (follow_id, activity_id);

CREATE TABLE notifications (
    user_id     BIGINT NOT NULL REFERENCES users (id),
    activity_id BIGINT NOT NULL REFERENCES activities (id),
    read_at     BIGINT, -- when it was marked by itself
    PRIMARY KEY (user_id, activity_id)
) WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (user_id, activity_id) WHERE read_at IS NULL;
CREATE INDEX notifications_activity ON notifications (activity_id);

-- What a user has read. It stands apart from users because it is locked last of all in a
-- transaction, while rows of users are locked on the way.
CREATE TABLE inboxes (
    user_id   BIGINT NOT NULL PRIMARY KEY REFERENCES users (id),
    unread    BIGINT NOT NULL DEFAULT 0, -- notifications with no read_at and an id above read_upto
    read_upto BIGINT NOT NULL DEFAULT 0  -- notifications up to this id were read all at once
) WITHOUT ROWID;
ALTER TABLE users DROP COLUMN unread_count;

-- Random keys of this installation.
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;
