-- +goose Up
-- serves: 30

-- Who did what, about what, when and from where. Nothing changes an entry, and nothing deletes
-- one before it is 30 days old. Nothing refers to anything: entries outlive what they are about.
CREATE TABLE audit_entries (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        BIGINT NOT NULL,
    actor_id  BIGINT NOT NULL, -- 0: no user
    actor     TEXT NOT NULL,   -- slug as it was then, or words for who is no user
    act       TEXT NOT NULL,
    kind      TEXT NOT NULL,   -- of what it is about, '' for the site
    target_id BIGINT NOT NULL,
    label     TEXT NOT NULL,
    details   TEXT NOT NULL,   -- a JSON object
    address   TEXT NOT NULL,
    request   TEXT NOT NULL
);
CREATE INDEX audit_entries_at ON audit_entries (at, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor, at, id);
CREATE INDEX audit_entries_actor_id ON audit_entries (actor_id, at, id);
CREATE INDEX audit_entries_act ON audit_entries (act, at, id);
CREATE INDEX audit_entries_actor_act ON audit_entries (actor, act, at, id);
CREATE INDEX audit_entries_target ON audit_entries (kind, target_id, at, id);
CREATE INDEX audit_entries_label ON audit_entries (label, at, id);

-- +goose StatementBegin
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is never changed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries WHEN OLD.at > (unixepoch() - 2592000) * 1000000 BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is kept for 30 days at least');
END;
-- +goose StatementEnd
