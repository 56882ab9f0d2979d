-- +goose Up

-- A link of an operator lets in one person, whose address it may name, or as many as it has
-- places, and may put them into a group. One that was made on the command line has no maker.
CREATE TABLE signup_links_with_places (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    note       TEXT NOT NULL,
    email      TEXT, -- lower case; of the one person it is for
    name       TEXT NOT NULL DEFAULT '', -- proposed to that person
    slug       TEXT NOT NULL DEFAULT '', -- the same
    group_id   BIGINT REFERENCES groups (id) ON DELETE SET NULL,
    vouched    BOOLEAN NOT NULL DEFAULT FALSE, -- who has it need not prove an address
    places     BIGINT NOT NULL DEFAULT 1,
    taken      BIGINT NOT NULL DEFAULT 0,
    created_by BIGINT REFERENCES users (id),
    used_by    BIGINT REFERENCES users (id), -- who took the last place
    used_at    BIGINT,                       -- when that was
    revoked_at BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CHECK (taken >= 0 AND taken <= places)
);
INSERT INTO signup_links_with_places (id, hash, note, taken, created_by, used_by, used_at, created_at, expires_at)
SELECT id, hash, note, CASE WHEN used_at IS NULL THEN 0 ELSE 1 END, created_by, used_by, used_at, created_at, expires_at FROM signup_links;
DROP TABLE signup_links;
ALTER TABLE signup_links_with_places RENAME TO signup_links;
CREATE UNIQUE INDEX signup_links_open_email ON signup_links (email) WHERE email IS NOT NULL AND used_at IS NULL;
CREATE INDEX signup_links_expires ON signup_links (expires_at);
CREATE INDEX signup_links_group ON signup_links (group_id) WHERE group_id IS NOT NULL;

-- Who came by a link.
CREATE TABLE signup_link_uses (
    link_id BIGINT NOT NULL REFERENCES signup_links (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    used_at BIGINT NOT NULL,
    PRIMARY KEY (link_id, user_id)
) WITHOUT ROWID;
INSERT INTO signup_link_uses (link_id, user_id, used_at)
SELECT id, used_by, used_at FROM signup_links WHERE used_by IS NOT NULL AND used_at IS NOT NULL;
