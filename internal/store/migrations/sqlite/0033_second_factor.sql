-- +goose Up

-- Keys that people sign in with (WebAuthn, section 4: credential records). Who has one signs in
-- with it, or with a password and it.
CREATE TABLE passkeys (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         BIGINT NOT NULL REFERENCES users (id),
    credential_id   BLOB NOT NULL UNIQUE, -- as the authenticator names it
    public_key      BLOB NOT NULL, -- a COSE_Key
    name            TEXT NOT NULL, -- as its owner calls it
    transports      TEXT NOT NULL, -- how the authenticator is reached, separated by commas
    sign_count      BIGINT NOT NULL, -- of the last use; 0 where the authenticator does not count
    backup_eligible BOOLEAN NOT NULL, -- it may be copied to other devices of its owner
    backed_up       BOOLEAN NOT NULL, -- it has been, as of the last use
    created_at      BIGINT NOT NULL,
    last_used_at    BIGINT
);
CREATE INDEX passkeys_user ON passkeys (user_id, id);

-- Codes for who has lost their keys. Each is deleted by its use.
CREATE TABLE recovery_codes (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    hash       BLOB NOT NULL, -- SHA-256 of the code
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- Browsers that have proved the password of an account that has a key, and nothing else yet.
CREATE TABLE half_sign_ins (
    hash       BLOB NOT NULL PRIMARY KEY, -- SHA-256 of what the browser's cookie holds
    user_id    BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX half_sign_ins_user ON half_sign_ins (user_id, created_at);
CREATE INDEX half_sign_ins_expires ON half_sign_ins (expires_at);
