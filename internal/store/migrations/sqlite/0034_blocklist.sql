-- +goose Up

-- What operators have blocked: sites and providers of mail by their domain, files by their
-- SHA-256, networks by their prefix.
CREATE TABLE blocklist (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    value      TEXT NOT NULL,
    note       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (kind, value)
);
