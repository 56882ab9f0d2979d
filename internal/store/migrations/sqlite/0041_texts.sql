-- +goose Up

-- How many bytes of text each user has stored, as UTF-8 and without indexes. Triggers maintain the
-- sum, so that it is right while nodes of the version before, which know nothing of it, write too.
-- Texts of users from before are summed by a job; texts_counted is FALSE until then.
ALTER TABLE byte_usage ADD COLUMN texts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE byte_usage ADD COLUMN texts_counted BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE byte_usage SET texts_counted = FALSE;
INSERT INTO byte_usage (user_id, unused, files, texts_counted) SELECT id, 0, 0, FALSE FROM users WHERE TRUE ON CONFLICT (user_id) DO NOTHING;
CREATE INDEX byte_usage_uncounted ON byte_usage (user_id) WHERE texts_counted = FALSE;
CREATE INDEX connections_noted ON connections (user_id) WHERE metadata IS NOT NULL;

-- Who has stored the most. The factor is domain.TextFactor.
CREATE INDEX byte_usage_largest ON byte_usage ((unused + files + 2 * texts), user_id);

-- What transactions read of byte_usage while they write. On SQLite a statement that names the table
-- itself first writes the counts that other transactions of the same commit have left for the end.
CREATE VIEW stored_bytes AS SELECT user_id, unused, files, texts FROM byte_usage;

-- +goose StatementBegin
CREATE TRIGGER blocks_text_added AFTER INSERT ON blocks
WHEN COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.content_markdown), 0) + COALESCE(octet_length(NEW.content_html), 0)
        + COALESCE(octet_length(NEW.content_plain), 0) + COALESCE(octet_length(NEW.value_url), 0)
        + COALESCE(octet_length(NEW.source_url), 0) + COALESCE(octet_length(NEW.source_title), 0)
        + COALESCE(octet_length(NEW.alt_text), 0) + COALESCE(octet_length(NEW.metadata), 0)
        + COALESCE(octet_length(NEW.embed), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.content_markdown), 0) + COALESCE(octet_length(NEW.content_html), 0)
        + COALESCE(octet_length(NEW.content_plain), 0) + COALESCE(octet_length(NEW.value_url), 0)
        + COALESCE(octet_length(NEW.source_url), 0) + COALESCE(octet_length(NEW.source_title), 0)
        + COALESCE(octet_length(NEW.alt_text), 0) + COALESCE(octet_length(NEW.metadata), 0)
        + COALESCE(octet_length(NEW.embed), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER blocks_text_changed AFTER UPDATE OF title, description_markdown, description_html, description_plain, content_markdown, content_html, content_plain, value_url, source_url, source_title, alt_text, metadata, embed, user_id ON blocks BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.content_markdown), 0) + COALESCE(octet_length(OLD.content_html), 0)
        + COALESCE(octet_length(OLD.content_plain), 0) + COALESCE(octet_length(OLD.value_url), 0)
        + COALESCE(octet_length(OLD.source_url), 0) + COALESCE(octet_length(OLD.source_title), 0)
        + COALESCE(octet_length(OLD.alt_text), 0) + COALESCE(octet_length(OLD.metadata), 0)
        + COALESCE(octet_length(OLD.embed), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.content_markdown), 0) + COALESCE(octet_length(NEW.content_html), 0)
        + COALESCE(octet_length(NEW.content_plain), 0) + COALESCE(octet_length(NEW.value_url), 0)
        + COALESCE(octet_length(NEW.source_url), 0) + COALESCE(octet_length(NEW.source_title), 0)
        + COALESCE(octet_length(NEW.alt_text), 0) + COALESCE(octet_length(NEW.metadata), 0)
        + COALESCE(octet_length(NEW.embed), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER blocks_text_removed AFTER DELETE ON blocks
WHEN COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.content_markdown), 0) + COALESCE(octet_length(OLD.content_html), 0)
        + COALESCE(octet_length(OLD.content_plain), 0) + COALESCE(octet_length(OLD.value_url), 0)
        + COALESCE(octet_length(OLD.source_url), 0) + COALESCE(octet_length(OLD.source_title), 0)
        + COALESCE(octet_length(OLD.alt_text), 0) + COALESCE(octet_length(OLD.metadata), 0)
        + COALESCE(octet_length(OLD.embed), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.content_markdown), 0) + COALESCE(octet_length(OLD.content_html), 0)
        + COALESCE(octet_length(OLD.content_plain), 0) + COALESCE(octet_length(OLD.value_url), 0)
        + COALESCE(octet_length(OLD.source_url), 0) + COALESCE(octet_length(OLD.source_title), 0)
        + COALESCE(octet_length(OLD.alt_text), 0) + COALESCE(octet_length(OLD.metadata), 0)
        + COALESCE(octet_length(OLD.embed), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER comments_text_added AFTER INSERT ON comments
WHEN COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER comments_text_changed AFTER UPDATE OF body_markdown, body_html, body_plain, user_id ON comments BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER comments_text_removed AFTER DELETE ON comments
WHEN COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER hidden_comments_text_added AFTER INSERT ON hidden_comments
WHEN COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER hidden_comments_text_changed AFTER UPDATE OF body_markdown, body_html, body_plain, user_id ON hidden_comments BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.body_markdown), 0) + COALESCE(octet_length(NEW.body_html), 0)
        + COALESCE(octet_length(NEW.body_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER hidden_comments_text_removed AFTER DELETE ON hidden_comments
WHEN COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.body_markdown), 0) + COALESCE(octet_length(OLD.body_html), 0)
        + COALESCE(octet_length(OLD.body_plain), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER channels_text_added AFTER INSERT ON channels
WHEN CASE WHEN NEW.state <> 'deleted' THEN COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.metadata), 0) ELSE 0 END > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (CASE NEW.owner_type WHEN 'User' THEN NEW.owner_id ELSE NEW.user_id END, 0, 0,
        CASE WHEN NEW.state <> 'deleted' THEN COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.metadata), 0) ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER channels_text_changed AFTER UPDATE OF title, description_markdown, description_html, description_plain, metadata, state, owner_type, owner_id, user_id ON channels BEGIN
    UPDATE byte_usage SET texts = texts - (
        CASE WHEN OLD.state <> 'deleted' THEN COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.metadata), 0) ELSE 0 END)
    WHERE user_id = CASE OLD.owner_type WHEN 'User' THEN OLD.owner_id ELSE OLD.user_id END;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (CASE NEW.owner_type WHEN 'User' THEN NEW.owner_id ELSE NEW.user_id END, 0, 0,
        CASE WHEN NEW.state <> 'deleted' THEN COALESCE(octet_length(NEW.title), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0)
        + COALESCE(octet_length(NEW.metadata), 0) ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER channels_text_removed AFTER DELETE ON channels
WHEN CASE WHEN OLD.state <> 'deleted' THEN COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.metadata), 0) ELSE 0 END > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        CASE WHEN OLD.state <> 'deleted' THEN COALESCE(octet_length(OLD.title), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0)
        + COALESCE(octet_length(OLD.metadata), 0) ELSE 0 END)
    WHERE user_id = CASE OLD.owner_type WHEN 'User' THEN OLD.owner_id ELSE OLD.user_id END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER connections_text_added AFTER INSERT ON connections
WHEN COALESCE(octet_length(NEW.metadata), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.metadata), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER connections_text_changed AFTER UPDATE OF metadata, user_id ON connections BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.metadata), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.metadata), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER connections_text_removed AFTER DELETE ON connections
WHEN COALESCE(octet_length(OLD.metadata), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.metadata), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER groups_text_added AFTER INSERT ON groups
WHEN COALESCE(octet_length(NEW.name), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.owner_id, 0, 0,
        COALESCE(octet_length(NEW.name), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER groups_text_changed AFTER UPDATE OF name, description_markdown, description_html, description_plain, owner_id ON groups BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.name), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0))
    WHERE user_id = OLD.owner_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.owner_id, 0, 0,
        COALESCE(octet_length(NEW.name), 0) + COALESCE(octet_length(NEW.description_markdown), 0)
        + COALESCE(octet_length(NEW.description_html), 0) + COALESCE(octet_length(NEW.description_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER groups_text_removed AFTER DELETE ON groups
WHEN COALESCE(octet_length(OLD.name), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.name), 0) + COALESCE(octet_length(OLD.description_markdown), 0)
        + COALESCE(octet_length(OLD.description_html), 0) + COALESCE(octet_length(OLD.description_plain), 0))
    WHERE user_id = OLD.owner_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_text_added AFTER INSERT ON users
WHEN COALESCE(octet_length(NEW.bio_markdown), 0) + COALESCE(octet_length(NEW.bio_html), 0)
        + COALESCE(octet_length(NEW.bio_plain), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.id, 0, 0,
        COALESCE(octet_length(NEW.bio_markdown), 0) + COALESCE(octet_length(NEW.bio_html), 0)
        + COALESCE(octet_length(NEW.bio_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_text_changed AFTER UPDATE OF bio_markdown, bio_html, bio_plain ON users BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.bio_markdown), 0) + COALESCE(octet_length(OLD.bio_html), 0)
        + COALESCE(octet_length(OLD.bio_plain), 0))
    WHERE user_id = OLD.id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.id, 0, 0,
        COALESCE(octet_length(NEW.bio_markdown), 0) + COALESCE(octet_length(NEW.bio_html), 0)
        + COALESCE(octet_length(NEW.bio_plain), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_text_removed AFTER DELETE ON users
WHEN COALESCE(octet_length(OLD.bio_markdown), 0) + COALESCE(octet_length(OLD.bio_html), 0)
        + COALESCE(octet_length(OLD.bio_plain), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.bio_markdown), 0) + COALESCE(octet_length(OLD.bio_html), 0)
        + COALESCE(octet_length(OLD.bio_plain), 0))
    WHERE user_id = OLD.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER once_keys_text_added AFTER INSERT ON once_keys
WHEN COALESCE(octet_length(NEW.answer), 0) > 0 BEGIN
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.answer), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER once_keys_text_changed AFTER UPDATE OF answer ON once_keys BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.answer), 0))
    WHERE user_id = OLD.user_id;
    INSERT INTO byte_usage (user_id, unused, files, texts) VALUES (NEW.user_id, 0, 0,
        COALESCE(octet_length(NEW.answer), 0))
    ON CONFLICT (user_id) DO UPDATE SET texts = texts + excluded.texts;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER once_keys_text_removed AFTER DELETE ON once_keys
WHEN COALESCE(octet_length(OLD.answer), 0) > 0 BEGIN
    UPDATE byte_usage SET texts = texts - (
        COALESCE(octet_length(OLD.answer), 0))
    WHERE user_id = OLD.user_id;
END;
-- +goose StatementEnd
