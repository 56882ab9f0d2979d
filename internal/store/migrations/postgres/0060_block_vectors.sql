-- +goose Up

LOCK TABLE search_documents IN SHARE ROW EXCLUSIVE MODE;

-- The state of the job that computes vectors, in one row. While it is not active, no new blocks are queued. The job
-- numbers what it writes (last_change), and processes follow these numbers. Rows without a vector may be deleted up to
-- the number purged; a process that has not read so far reads everything again.
CREATE TABLE vector_state (
    id            BIGINT PRIMARY KEY CHECK (id = 1),
    active        BOOLEAN NOT NULL DEFAULT FALSE,
    model         TEXT NOT NULL DEFAULT '',
    private       BOOLEAN NOT NULL DEFAULT FALSE,
    dimension     BIGINT NOT NULL DEFAULT 0, -- 0 before the first answer
    other         BIGINT NOT NULL DEFAULT 0, -- a different dimension of the last answer, or 0
    walked        BIGINT NOT NULL DEFAULT 0, -- number of the last document that was compared with the vectors
    walk_at       BIGINT NOT NULL DEFAULT 0, -- when to compare them all again
    walk_change   BIGINT NOT NULL DEFAULT 0, -- last_change when that began
    last_change   BIGINT NOT NULL DEFAULT 0,
    purged        BIGINT NOT NULL DEFAULT 0,
    leased_until  BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0, -- in a row
    retry_at      BIGINT NOT NULL DEFAULT 0,
    error         TEXT NOT NULL DEFAULT '',
    failed_at     BIGINT NOT NULL DEFAULT 0
);
INSERT INTO vector_state (id) VALUES (1);

-- The vectors of blocks, and the queue of blocks to compute. queued counts how often a block was queued since it was
-- last written; 0 means that nothing is to be done. The state says why there is no vector: '' (waiting), 'private',
-- 'empty', 'refused' or 'gone'; with a vector it is 'done'. open is the visibility for which it was computed.
CREATE TABLE block_vectors (
    block_id  BIGINT PRIMARY KEY,
    queued    BIGINT NOT NULL,
    state     TEXT NOT NULL DEFAULT '',
    open      BOOLEAN NOT NULL DEFAULT FALSE,
    change    BIGINT NOT NULL DEFAULT 0,
    model     TEXT NOT NULL DEFAULT '',
    dimension BIGINT NOT NULL DEFAULT 0,
    vector    BYTEA
);
ALTER TABLE block_vectors ALTER COLUMN vector SET STORAGE EXTERNAL; -- random bytes do not get smaller
CREATE INDEX block_vectors_queued ON block_vectors (block_id) WHERE queued > 0;
CREATE INDEX block_vectors_state ON block_vectors (state) WHERE queued = 0;
CREATE INDEX block_vectors_change ON block_vectors (change);

-- A transaction that changes a text or who sees it deletes the vector and queues the block.
-- +goose StatementBegin
CREATE FUNCTION queue_vector() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE block_vectors SET queued = queued + 1, vector = NULL WHERE block_id = OLD.item_id;
        RETURN NULL;
    END IF;
    UPDATE block_vectors SET queued = queued + 1, vector = NULL WHERE block_id = NEW.item_id;
    IF NOT FOUND THEN
        INSERT INTO block_vectors (block_id, queued) SELECT NEW.item_id, 1 FROM vector_state WHERE active
            ON CONFLICT (block_id) DO UPDATE SET queued = block_vectors.queued + 1, vector = NULL;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER search_documents_vector_new AFTER INSERT ON search_documents
    FOR EACH ROW WHEN (NEW.kind = 'Block') EXECUTE FUNCTION queue_vector();
CREATE TRIGGER search_documents_vector_old AFTER UPDATE OF open, digest ON search_documents
    FOR EACH ROW WHEN (NEW.kind = 'Block' AND (OLD.open <> NEW.open OR OLD.digest IS DISTINCT FROM NEW.digest)) EXECUTE FUNCTION queue_vector();
CREATE TRIGGER search_documents_vector_gone AFTER DELETE ON search_documents
    FOR EACH ROW WHEN (OLD.kind = 'Block') EXECUTE FUNCTION queue_vector();
