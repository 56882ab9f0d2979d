-- +goose Up

-- What users have deleted and can still restore. A deleted channel keeps its row and its connections. The rows
-- of other things move here. Nothing that reads the site reads these tables (docs/design/trash.md).
CREATE TABLE trash_things (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,             -- Block, Channel or Comment
    target_id  BIGINT NOT NULL,
    owner_type TEXT NOT NULL,
    owner_id   BIGINT NOT NULL,           -- who can restore it
    deleted_by BIGINT NOT NULL,
    label      TEXT NOT NULL,             -- as it was called
    data       TEXT,                      -- the row of a block, as JSON
    purging    BOOLEAN NOT NULL DEFAULT FALSE, -- it is being deleted for good
    deleted_at BIGINT NOT NULL,
    UNIQUE (kind, target_id)
);
CREATE INDEX trash_things_owner ON trash_things (owner_type, owner_id, id);
CREATE INDEX trash_things_deleted ON trash_things (deleted_at, id);
CREATE INDEX trash_things_purging ON trash_things (id) WHERE purging;

-- The connections of blocks and channels in Trash to the channels that they were in.
CREATE TABLE trash_connections (
    id           INTEGER PRIMARY KEY, -- that it had, and has again
    thing_id     BIGINT NOT NULL REFERENCES trash_things (id) ON DELETE CASCADE,
    channel_id   BIGINT NOT NULL REFERENCES channels (id),
    item_type    TEXT NOT NULL,
    item_id      BIGINT NOT NULL,
    user_id      BIGINT NOT NULL,
    position_key BIGINT NOT NULL,
    below_id     BIGINT NOT NULL, -- the connections next to it, 0 for none
    above_id     BIGINT NOT NULL,
    pinned       BOOLEAN NOT NULL,
    metadata     TEXT,
    version      BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX trash_connections_of ON trash_connections (thing_id, id);
CREATE INDEX trash_connections_channel ON trash_connections (channel_id);
CREATE INDEX trash_connections_noted ON trash_connections (user_id) WHERE metadata IS NOT NULL;

-- Comments that were deleted, by themselves or with their block.
CREATE TABLE trash_comments (
    id            INTEGER PRIMARY KEY, -- that it had, and has again
    thing_id      BIGINT NOT NULL REFERENCES trash_things (id) ON DELETE CASCADE,
    block_id      BIGINT NOT NULL,
    user_id       BIGINT NOT NULL,
    body_markdown TEXT NOT NULL,
    body_html     TEXT NOT NULL,
    body_plain    TEXT NOT NULL,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX trash_comments_of ON trash_comments (thing_id, id);
CREATE INDEX trash_comments_user ON trash_comments (user_id, id);

-- The files of blocks in Trash. They keep their rows, so that they count and are not cleaned up, but under keys that
-- nobody knows. key is the one that the file had, and has again.
CREATE TABLE trash_files (
    file_id  INTEGER PRIMARY KEY REFERENCES files (id),
    thing_id BIGINT NOT NULL REFERENCES trash_things (id) ON DELETE CASCADE,
    key      TEXT NOT NULL UNIQUE
);
CREATE INDEX trash_files_of ON trash_files (thing_id);

-- Who followed a channel in Trash.
CREATE TABLE trash_follows (
    id          INTEGER PRIMARY KEY, -- that it had; the new one is another
    thing_id    BIGINT NOT NULL REFERENCES trash_things (id) ON DELETE CASCADE,
    follower_id BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX trash_follows_of ON trash_follows (thing_id, id);
CREATE INDEX trash_follows_by ON trash_follows (follower_id);

-- Texts in Trash count like others (migrations 0041 and 0050).

-- +goose StatementBegin
CREATE TRIGGER trash_things_text_added AFTER INSERT ON trash_things
WHEN CASE WHEN NEW.owner_type = 'User' THEN COALESCE(octet_length(NEW.data), 0) ELSE 0 END > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.owner_id, 0, 0,
        CASE WHEN NEW.owner_type = 'User' THEN COALESCE(octet_length(NEW.data), 0) ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_things_text_changed AFTER UPDATE OF data, owner_type, owner_id ON trash_things BEGIN
    UPDATE byte_usage SET texts = texts - (CASE WHEN OLD.owner_type = 'User' THEN COALESCE(octet_length(OLD.data), 0) ELSE 0 END)
    WHERE user_id = OLD.owner_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.owner_id, 0, 0,
        CASE WHEN NEW.owner_type = 'User' THEN COALESCE(octet_length(NEW.data), 0) ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_things_text_removed AFTER DELETE ON trash_things
WHEN CASE WHEN OLD.owner_type = 'User' THEN COALESCE(octet_length(OLD.data), 0) ELSE 0 END > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (CASE WHEN OLD.owner_type = 'User' THEN COALESCE(octet_length(OLD.data), 0) ELSE 0 END)
    WHERE user_id = OLD.owner_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER trash_comments_text_added AFTER INSERT ON trash_comments
WHEN COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0) + COALESCE(octet_length(NEW.body_plain), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0) + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_comments_text_changed AFTER UPDATE OF body_markdown, body_html, body_plain, user_id ON trash_comments BEGIN
    UPDATE byte_usage SET texts = texts - (COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0) + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0) + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_comments_text_removed AFTER DELETE ON trash_comments
WHEN COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0) + COALESCE(octet_length(OLD.body_plain), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0) + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER trash_connections_text_added AFTER INSERT ON trash_connections
WHEN COALESCE(octet_length(NEW.metadata), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.metadata), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_connections_text_changed AFTER UPDATE OF metadata, user_id ON trash_connections BEGIN
    UPDATE byte_usage SET texts = texts - (COALESCE(octet_length(OLD.metadata), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.metadata), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER trash_connections_text_removed AFTER DELETE ON trash_connections
WHEN COALESCE(octet_length(OLD.metadata), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (COALESCE(octet_length(OLD.metadata), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd
