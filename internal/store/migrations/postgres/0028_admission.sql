-- +goose Up

-- A link of an operator lets in one person, whose address it may name, or as many as it has
-- places, and may put them into a group. One that was made on the command line has no maker.
ALTER TABLE signup_links ALTER COLUMN created_by DROP NOT NULL;
ALTER TABLE signup_links ADD COLUMN email TEXT; -- lower case; of the one person it is for
ALTER TABLE signup_links ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- proposed to that person
ALTER TABLE signup_links ADD COLUMN slug TEXT NOT NULL DEFAULT ''; -- the same
ALTER TABLE signup_links ADD COLUMN group_id BIGINT REFERENCES groups (id) ON DELETE SET NULL;
ALTER TABLE signup_links ADD COLUMN vouched BOOLEAN NOT NULL DEFAULT FALSE; -- who has it need not prove an address
ALTER TABLE signup_links ADD COLUMN places BIGINT NOT NULL DEFAULT 1;
ALTER TABLE signup_links ADD COLUMN taken BIGINT NOT NULL DEFAULT 0;
ALTER TABLE signup_links ADD COLUMN revoked_at BIGINT;
UPDATE signup_links SET taken = 1 WHERE used_at IS NOT NULL;
ALTER TABLE signup_links ADD CHECK (taken >= 0 AND taken <= places);
CREATE UNIQUE INDEX signup_links_open_email ON signup_links (email) WHERE email IS NOT NULL AND used_at IS NULL;
CREATE INDEX signup_links_expires ON signup_links (expires_at);
CREATE INDEX signup_links_group ON signup_links (group_id) WHERE group_id IS NOT NULL;

-- Who came by a link.
CREATE TABLE signup_link_uses (
    link_id BIGINT NOT NULL REFERENCES signup_links (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    used_at BIGINT NOT NULL,
    PRIMARY KEY (link_id, user_id)
);
INSERT INTO signup_link_uses (link_id, user_id, used_at)
SELECT id, used_by, used_at FROM signup_links WHERE used_by IS NOT NULL AND used_at IS NOT NULL;
