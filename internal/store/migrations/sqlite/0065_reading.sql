-- +goose Up

-- Passages of the texts of blocks that users highlighted. The positions count characters of the text, and are only valid
-- until it changes; then the passage is looked for.
CREATE TABLE highlights (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    block_id   BIGINT REFERENCES blocks (id) ON DELETE CASCADE, -- null while the block is in Trash
    trash_id   BIGINT REFERENCES trash_things (id) ON DELETE CASCADE, -- where the block is then
    exact      TEXT NOT NULL,
    prefix     TEXT NOT NULL,
    suffix     TEXT NOT NULL,
    start_at   BIGINT NOT NULL,
    end_at     BIGINT NOT NULL,
    note       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX highlights_trash ON highlights (trash_id) WHERE trash_id IS NOT NULL;
CREATE INDEX highlights_user ON highlights (user_id, id);
CREATE INDEX highlights_block ON highlights (block_id, user_id);

-- How far users have read the texts of blocks, in ten-thousandths.
CREATE TABLE reading_places (
    user_id  BIGINT NOT NULL REFERENCES users (id),
    block_id BIGINT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
    place    BIGINT NOT NULL,
    read_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, block_id)
);
CREATE INDEX reading_places_block ON reading_places (block_id);
CREATE INDEX reading_places_user ON reading_places (user_id, read_at);
