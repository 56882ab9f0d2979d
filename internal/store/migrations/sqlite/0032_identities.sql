-- +goose Up

-- Who people are to a provider of single sign-on. What names somebody there is issuer and
-- subject together; an account has one identity with each issuer.
CREATE TABLE identities (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    email      TEXT NOT NULL, -- as the provider said last, '' if it did not
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    UNIQUE (issuer, subject)
);
CREATE UNIQUE INDEX identities_user ON identities (user_id, issuer);

-- Sign-ins that are under way. What they are is sealed with what the browser alone has.
CREATE TABLE sign_on_steps (
    hash       BLOB PRIMARY KEY,
    sealed     BLOB NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_on_steps_expires ON sign_on_steps (expires_at);

-- The membership comes from a group of the provider, and goes with it.
ALTER TABLE group_members ADD COLUMN mapped BOOLEAN NOT NULL DEFAULT FALSE;
