-- +goose Up

-- All tables that change are locked first, in the order in which most transactions write them. Otherwise a
-- transaction that has written blocks would wait for this migration at connections while the migration
-- waits for it at blocks, at every attempt on a busy server.
LOCK TABLE once_keys, users, groups, comments, hidden_comments, blocks, connections, channels IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE byte_usage IN ACCESS EXCLUSIVE MODE;

-- How many bytes of text each user has stored, as UTF-8 and without indexes. Triggers maintain the
-- sum, so that it is right while nodes of the version before, which know nothing of it, write too.
-- Texts of users from before are summed by a job; texts_counted is FALSE until then.
CREATE INDEX connections_noted ON connections (user_id) WHERE metadata IS NOT NULL; -- for the sum of a user
ALTER TABLE byte_usage ADD COLUMN texts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE byte_usage ADD COLUMN texts_counted BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE byte_usage ALTER COLUMN texts_counted SET DEFAULT TRUE;
CREATE INDEX byte_usage_uncounted ON byte_usage (user_id) WHERE texts_counted = FALSE;

-- Who has stored the most. The factor is domain.TextFactor.
CREATE INDEX byte_usage_largest ON byte_usage ((unused + files + 2 * texts), user_id);

-- What transactions read of byte_usage while they write. On SQLite a statement that names the table
-- itself first writes the counts that other transactions of the same commit have left for the end.
CREATE VIEW stored_bytes AS SELECT user_id, unused, files, texts FROM byte_usage;

-- Texts that transactions have changed and not added to byte_usage yet. Nobody else sees these rows,
-- because they are gone at the commit, so the table need not survive a crash.
CREATE UNLOGGED TABLE text_changes (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changed_by XID8 NOT NULL DEFAULT pg_current_xact_id(),
    user_id BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);
CREATE INDEX text_changes_by ON text_changes (changed_by);

-- Notes a row that came, changed or went. The tables have a text_payer and a text_size each.
-- +goose StatementBegin
CREATE FUNCTION note_texts() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    was BIGINT := 0;
    is_now BIGINT := 0;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        was := text_size(OLD);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        is_now := text_size(NEW);
    END IF;
    IF TG_OP = 'UPDATE' AND text_payer(OLD) = text_payer(NEW) THEN
        is_now := is_now - was;
        was := 0;
    END IF;
    IF was <> 0 THEN
        INSERT INTO text_changes (user_id, bytes) VALUES (text_payer(OLD), -was);
    END IF;
    IF is_now <> 0 THEN
        INSERT INTO text_changes (user_id, bytes) VALUES (text_payer(NEW), is_now);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- Adds what a transaction has noted to byte_usage. It runs at the commit, so that the row of a user is
-- not locked for longer than that, and changes each row once: the versions of a row that a transaction
-- has changed often slow down every further change. All transactions lock users in the same order.
-- +goose StatementBegin
CREATE FUNCTION count_texts() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM text_changes WHERE id = NEW.id;
    IF FOUND THEN -- otherwise it was added together with an earlier one
        WITH mine AS (DELETE FROM text_changes WHERE changed_by = pg_current_xact_id() RETURNING user_id, bytes)
        INSERT INTO byte_usage (user_id, unused, files, texts)
        SELECT user_id, 0, 0, sum(bytes) FROM mine GROUP BY user_id ORDER BY user_id
        ON CONFLICT (user_id) DO UPDATE SET texts = byte_usage.texts + excluded.texts;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER text_changes_count AFTER INSERT ON text_changes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r blocks) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.user_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r blocks) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.title), 0) + COALESCE(octet_length(r.description_markdown), 0)
        + COALESCE(octet_length(r.description_html), 0) + COALESCE(octet_length(r.description_plain), 0)
        + COALESCE(octet_length(r.content_markdown), 0) + COALESCE(octet_length(r.content_html), 0)
        + COALESCE(octet_length(r.content_plain), 0) + COALESCE(octet_length(r.value_url), 0)
        + COALESCE(octet_length(r.source_url), 0) + COALESCE(octet_length(r.source_title), 0)
        + COALESCE(octet_length(r.alt_text), 0) + COALESCE(octet_length(r.metadata), 0) + COALESCE(octet_length(r.embed), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER blocks_texts AFTER INSERT OR DELETE OR UPDATE OF title, description_markdown, description_html, description_plain, content_markdown, content_html, content_plain, value_url, source_url, source_title, alt_text, metadata, embed, user_id ON blocks
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r comments) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.user_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r comments) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.body_markdown), 0) + COALESCE(octet_length(r.body_html), 0)
        + COALESCE(octet_length(r.body_plain), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER comments_texts AFTER INSERT OR DELETE OR UPDATE OF body_markdown, body_html, body_plain, user_id ON comments
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r hidden_comments) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.user_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r hidden_comments) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.body_markdown), 0) + COALESCE(octet_length(r.body_html), 0)
        + COALESCE(octet_length(r.body_plain), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER hidden_comments_texts AFTER INSERT OR DELETE OR UPDATE OF body_markdown, body_html, body_plain, user_id ON hidden_comments
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r channels) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE r.owner_type WHEN 'User' THEN r.owner_id ELSE r.user_id END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r channels) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(CASE WHEN r.state <> 'deleted' THEN COALESCE(octet_length(r.title), 0) + COALESCE(octet_length(r.description_markdown), 0)
        + COALESCE(octet_length(r.description_html), 0) + COALESCE(octet_length(r.description_plain), 0)
        + COALESCE(octet_length(r.metadata), 0) ELSE 0 END AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER channels_texts AFTER INSERT OR DELETE OR UPDATE OF title, description_markdown, description_html, description_plain, metadata, state, owner_type, owner_id, user_id ON channels
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r connections) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.user_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r connections) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.metadata), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER connections_texts AFTER INSERT OR DELETE OR UPDATE OF metadata, user_id ON connections
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r groups) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.owner_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r groups) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.name), 0) + COALESCE(octet_length(r.description_markdown), 0)
        + COALESCE(octet_length(r.description_html), 0) + COALESCE(octet_length(r.description_plain), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER groups_texts AFTER INSERT OR DELETE OR UPDATE OF name, description_markdown, description_html, description_plain, owner_id ON groups
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r users) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r users) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.bio_markdown), 0) + COALESCE(octet_length(r.bio_html), 0)
        + COALESCE(octet_length(r.bio_plain), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER users_texts AFTER INSERT OR DELETE OR UPDATE OF bio_markdown, bio_html, bio_plain ON users
    FOR EACH ROW EXECUTE FUNCTION note_texts();

-- +goose StatementBegin
CREATE FUNCTION text_payer(r once_keys) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT r.user_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION text_size(r once_keys) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(COALESCE(octet_length(r.answer), 0) AS BIGINT)
$$;
-- +goose StatementEnd
CREATE TRIGGER once_keys_texts AFTER INSERT OR DELETE OR UPDATE OF answer ON once_keys
    FOR EACH ROW EXECUTE FUNCTION note_texts();

INSERT INTO byte_usage (user_id, unused, files, texts_counted) SELECT id, 0, 0, FALSE FROM users ON CONFLICT (user_id) DO NOTHING;
