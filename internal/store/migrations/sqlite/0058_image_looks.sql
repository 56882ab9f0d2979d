-- +goose Up

-- What an image looks like: its dominant colours with their shares in percent, such as '00aa77:60 ffffff:40' (package
-- colour), and a perceptual hash, which is NULL for images without structure. A palette of NULL means that the file was
-- stored by an older version and not looked at yet.
ALTER TABLE files ADD COLUMN palette TEXT;
ALTER TABLE files ADD COLUMN look_hash BIGINT;
CREATE INDEX files_unseen ON files (id) WHERE palette IS NULL AND blurhash IS NOT NULL;

-- Images that look almost the same agree in at least one of four parts of the hash.
CREATE INDEX files_look_0 ON files ((look_hash & 65535), user_id) WHERE look_hash IS NOT NULL;
CREATE INDEX files_look_1 ON files (((look_hash >> 16) & 65535), user_id) WHERE look_hash IS NOT NULL;
CREATE INDEX files_look_2 ON files (((look_hash >> 32) & 65535), user_id) WHERE look_hash IS NOT NULL;
CREATE INDEX files_look_3 ON files (((look_hash >> 48) & 65535), user_id) WHERE look_hash IS NOT NULL;

-- The job writes the forms, spellings and marks of all documents, and once more a day later, because nodes of the old
-- version may write documents without them in the meantime.
UPDATE backfill_progress SET done = 0, repeat_at = 0
WHERE kind = 'refresh_documents' AND EXISTS (SELECT 1 FROM search_documents);
