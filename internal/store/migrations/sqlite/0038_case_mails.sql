-- +goose Up

-- Operators who want mail when something is reported.
CREATE TABLE case_mails (
    user_id   INTEGER PRIMARY KEY REFERENCES users (id),
    fresh     BIGINT NOT NULL DEFAULT 0, -- cases opened since they were mailed
    mailed_at BIGINT NOT NULL DEFAULT 0  -- 0 until they first are
);
