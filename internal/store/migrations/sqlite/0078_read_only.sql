-- +goose Up

-- One row while the site is read-only. Each write transaction looks for it (internal/database/readonly.go).
CREATE TABLE read_only (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    reason TEXT NOT NULL,   -- shown to everybody; empty for none
    since  BIGINT NOT NULL,
    until  BIGINT           -- when it is expected to end; null: unknown
) WITHOUT ROWID;

ALTER TABLE site ADD COLUMN announcement_severity TEXT NOT NULL DEFAULT 'info' CHECK (announcement_severity IN ('info', 'warning', 'urgent'));
ALTER TABLE site ADD COLUMN announcement_until BIGINT; -- null: until an operator removes it
