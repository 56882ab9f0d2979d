-- +goose Up

-- Confirmations of exports and erasures. They name nobody: user_id is the number of an account, which stays when it is deleted.
CREATE TABLE receipts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    code        TEXT NOT NULL UNIQUE, -- with which its owner finds and shows it
    kind        TEXT NOT NULL CHECK (kind IN ('export', 'erasure')),
    user_id     BIGINT NOT NULL REFERENCES users (id),
    by_operator BOOLEAN NOT NULL,
    counts      TEXT NOT NULL, -- JSON: numbers by name
    asked_at    BIGINT NOT NULL,
    done_at     BIGINT -- null: the rest is still being deleted
);
CREATE INDEX receipts_user ON receipts (user_id, id);
CREATE INDEX receipts_asked ON receipts (asked_at);
