-- +goose Up

-- Requests for copies of pages by this server. Each is waiting for its job, or has failed. The row of one that was taken is
-- deleted together with the insertion of the copy, so that a job that runs twice saves one copy.
CREATE TABLE snapshot_requests (
    block_id   BIGINT PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who has it taken
    state      TEXT NOT NULL, -- waiting or failed
    attempts   BIGINT NOT NULL DEFAULT 0,
    reason     TEXT NOT NULL DEFAULT '', -- why the last attempt failed, as people read it
    round      BIGINT NOT NULL, -- names the job that takes it
    updated_at BIGINT NOT NULL
);
CREATE INDEX snapshot_requests_user ON snapshot_requests (user_id);
