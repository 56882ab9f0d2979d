-- +goose Up

-- Browsers that signed in to an account: what they try at its password is not counted
-- with what strangers do. A session is no foreign key: it may be over.
CREATE TABLE known_browsers (
    hash       BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of what its cookie holds
    user_id    BIGINT NOT NULL REFERENCES users (id),
    session_id BIGINT NOT NULL, -- with which it signed in last
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX known_browsers_user ON known_browsers (user_id, session_id);
CREATE INDEX known_browsers_expires ON known_browsers (expires_at);
