-- +goose Up

-- How many bytes each user has stored: in uploads that nothing has been made of yet, and
-- in the files of their blocks and pictures. A user without a row has none.
CREATE TABLE byte_usage (
    user_id BIGINT PRIMARY KEY,
    unused  BIGINT NOT NULL,
    files   BIGINT NOT NULL
);

-- Room that is held for bytes on their way. A row whose lease has run out, as that of a
-- process that died, holds nothing.
CREATE TABLE byte_reservations (
    key        TEXT PRIMARY KEY, -- what the bytes are for
    user_id    BIGINT NOT NULL,
    upload     BOOLEAN NOT NULL, -- they will be an upload's
    bytes      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX byte_reservations_user ON byte_reservations (user_id);
CREATE INDEX byte_reservations_expires ON byte_reservations (expires_at);

ALTER TABLE files ADD COLUMN user_id BIGINT NOT NULL DEFAULT 0; -- whose quota it counts against
UPDATE files SET user_id = b.user_id FROM blocks b WHERE b.image_id = files.id;
UPDATE files SET user_id = b.user_id FROM blocks b WHERE b.file_id = files.id;
UPDATE files SET user_id = u.id FROM users u WHERE u.avatar IS NOT NULL AND substr(u.avatar, 1, 22) = files.key;
UPDATE files SET user_id = g.owner_id FROM groups g WHERE g.avatar IS NOT NULL AND substr(g.avatar, 1, 22) = files.key;

ALTER TABLE uploads ADD COLUMN size BIGINT;    -- once it is known
ALTER TABLE uploads ADD COLUMN used_at BIGINT; -- when something was first made of it
UPDATE uploads SET size = bl.size FROM blobs bl WHERE bl.id = uploads.blob_id;
UPDATE uploads SET used_at = p.updated_at FROM processings p WHERE p.upload_id = uploads.id AND p.state = 'done';
CREATE INDEX uploads_unused ON uploads (user_id) WHERE used_at IS NULL;

INSERT INTO byte_usage (user_id, unused, files)
SELECT user_id, sum(unused), sum(files) FROM (
    SELECT user_id, size AS unused, 0 AS files FROM uploads WHERE used_at IS NULL AND size IS NOT NULL
    UNION ALL SELECT user_id, 0, size FROM files WHERE user_id <> 0) AS stored
GROUP BY user_id;

-- An object that could not be removed is tried again later.
ALTER TABLE doomed_objects ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE doomed_objects ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX doomed_objects_next ON doomed_objects (next_at, object);
