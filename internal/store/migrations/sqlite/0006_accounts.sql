-- +goose Up

-- An operator runs the server. A deleted account keeps its row, without anything that
-- tells who it was, for what others keep of it.
ALTER TABLE users ADD COLUMN office TEXT NOT NULL DEFAULT 'member' CHECK (office IN ('member', 'operator'));
ALTER TABLE users ADD COLUMN deleted_at BIGINT;

-- What is chosen while the server runs, such as the sign-up mode.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Browsers that are signed in. Ending one deletes its row.
CREATE TABLE sessions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      BIGINT NOT NULL REFERENCES users (id),
    hash         BLOB NOT NULL UNIQUE, -- SHA-256 of what its cookie holds
    agent        TEXT NOT NULL,        -- User-Agent, cut
    address      TEXT NOT NULL,        -- where it was last seen
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Accounts that somebody wants, until they follow the link that was mailed to them.
CREATE TABLE signups (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    email         TEXT NOT NULL, -- lower case
    slug          TEXT NOT NULL, -- as wished; empty: from the name
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    link_id       BIGINT, -- the signup_links row that let them in
    hash          BLOB UNIQUE, -- SHA-256 of the mailed token; null until it is mailed
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX signups_expires ON signups (expires_at);
CREATE INDEX signups_email ON signups (email);

-- Links with which an operator lets one person sign up.
CREATE TABLE signup_links (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    note       TEXT NOT NULL,
    created_by BIGINT NOT NULL REFERENCES users (id),
    used_by    BIGINT REFERENCES users (id),
    used_at    BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Links mailed to an account: to choose a new password, or to prove a new address. Each
-- works once; using it deletes it.
CREATE TABLE mail_links (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    purpose    TEXT NOT NULL CHECK (purpose IN ('password', 'address')),
    email      TEXT NOT NULL, -- where it goes; of an address, the new one
    hash       BLOB UNIQUE,   -- SHA-256 of the token; null until it is mailed
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id, purpose);
CREATE INDEX mail_links_expires ON mail_links (expires_at);

-- How often somebody tried what is limited, by account or by address, in a window.
CREATE TABLE attempts (
    key        BLOB NOT NULL PRIMARY KEY, -- SHA-256 of what is counted
    count      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX attempts_expires ON attempts (expires_at);

-- Clients that act for users, or for themselves (RFC 6749 section 2).
CREATE TABLE applications (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id     TEXT NOT NULL UNIQUE,
    user_id       BIGINT REFERENCES users (id), -- who registered it; null: nobody
    name          TEXT NOT NULL,
    redirect_uris TEXT NOT NULL, -- JSON list
    secret_hash   BLOB,          -- SHA-256 of the secret; null: a public client
    secret_hint   TEXT NOT NULL DEFAULT '',
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    deleted_at    BIGINT
);
CREATE INDEX applications_user ON applications (user_id, id);

-- The public client that every server knows: the official command line. It belongs to
-- nobody, so that nobody can change or delete it.
INSERT INTO applications (client_id, name, redirect_uris, created_at, updated_at)
VALUES ('a-2__kXA3JH0X5pMnYsFvY2BY9dVQ30sIBkgeoLoO90', 'Are.na command line',
    '["http://127.0.0.1/callback","http://localhost/callback","http://[::1]/callback"]', 1704067200000000, 1704067200000000);

-- What a user lets an application do, until they take it back, which deletes the row.
CREATE TABLE grants (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id BIGINT NOT NULL REFERENCES applications (id),
    user_id        BIGINT NOT NULL REFERENCES users (id),
    scope          TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    UNIQUE (application_id, user_id)
);
CREATE INDEX grants_user ON grants (user_id, id);

-- Authorization codes (RFC 6749 section 4.1). A used one stays until it expires, so
-- that a second use is noticed.
CREATE TABLE authorization_codes (
    hash           BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the code
    application_id BIGINT NOT NULL REFERENCES applications (id),
    user_id        BIGINT NOT NULL REFERENCES users (id),
    redirect_uri   TEXT NOT NULL, -- as the request had it
    challenge      TEXT NOT NULL, -- of the S256 method; empty: none
    scope          TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    used_at        BIGINT,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX authorization_codes_expires ON authorization_codes (expires_at);
CREATE INDEX authorization_codes_application ON authorization_codes (application_id);
CREATE INDEX authorization_codes_user ON authorization_codes (user_id);

-- Tokens of users, of applications that act for users, and of applications themselves.
CREATE TABLE tokens_of_all (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        BIGINT REFERENCES users (id), -- null: the application's own
    application_id BIGINT REFERENCES applications (id), -- null: a personal access token
    code_hash      BLOB, -- of the authorization code that gave it
    name           TEXT NOT NULL,
    hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    hint           TEXT NOT NULL,            -- its first characters, to tell tokens apart
    scope          TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    last_used_at   BIGINT,
    revoked_at     BIGINT,
    created_at     BIGINT NOT NULL,
    CHECK (user_id IS NOT NULL OR application_id IS NOT NULL)
);
INSERT INTO tokens_of_all (id, user_id, name, hash, hint, scope, last_used_at, revoked_at, created_at)
SELECT id, user_id, name, hash, hint, scope, last_used_at, revoked_at, created_at FROM tokens;
DROP TABLE tokens;
ALTER TABLE tokens_of_all RENAME TO tokens;
CREATE INDEX tokens_user ON tokens (user_id, id);
CREATE INDEX tokens_application ON tokens (application_id, user_id, id) WHERE application_id IS NOT NULL;
CREATE INDEX tokens_code ON tokens (code_hash) WHERE code_hash IS NOT NULL;
