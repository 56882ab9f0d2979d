-- +goose Up

-- Whether an application gets access tokens that expire, with refresh tokens.
ALTER TABLE applications ADD COLUMN expiring BOOLEAN NOT NULL DEFAULT FALSE;

-- What a token may do within its scope, as a list of scopes separated by spaces (domain.Limits); empty: everything.
ALTER TABLE authorization_codes ADD COLUMN limits TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN limits TEXT NOT NULL DEFAULT '';

-- The current refresh token of each family. All tokens that follow from one code are a family.
CREATE TABLE refresh_tokens (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id BIGINT NOT NULL REFERENCES applications (id),
    user_id        BIGINT NOT NULL REFERENCES users (id),
    code_hash      BLOB NOT NULL,        -- of the authorization code
    family         BLOB NOT NULL UNIQUE, -- SHA-256 of the part that all tokens of the family share
    hash           BLOB NOT NULL,        -- SHA-256 of the current token
    previous       BLOB,                 -- SHA-256 of the one before; null: it cannot be sent again
    rotated_at     BIGINT,
    scope          TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    limits         TEXT NOT NULL,
    audience       TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,       -- if it is not used before
    ends_at        BIGINT NOT NULL        -- of the whole family
);
CREATE INDEX refresh_tokens_application ON refresh_tokens (application_id, user_id, id);
CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_code ON refresh_tokens (code_hash);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires_at);

ALTER TABLE tokens ADD COLUMN limits TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN expires_at BIGINT; -- null: never
ALTER TABLE tokens ADD COLUMN refresh_id BIGINT REFERENCES refresh_tokens (id) ON DELETE CASCADE; -- null: it has no refresh token
CREATE INDEX tokens_refresh ON tokens (refresh_id) WHERE refresh_id IS NOT NULL;
CREATE INDEX tokens_expires ON tokens (expires_at) WHERE refresh_id IS NOT NULL;
