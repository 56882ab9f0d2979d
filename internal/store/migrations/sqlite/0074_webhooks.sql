-- +goose Up

-- The values of changed fields before and after a change, as JSON; empty if they are not known or not for everyone who
-- sees the thing.
ALTER TABLE changes ADD COLUMN detail TEXT NOT NULL DEFAULT '';

-- Addresses to which the changes that their owners may see are sent.
CREATE TABLE webhooks (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        BIGINT NOT NULL REFERENCES users (id),
    application_id BIGINT REFERENCES applications (id), -- the one that created it for the user
    channel_id     BIGINT NOT NULL, -- 0 for all channels
    name           TEXT NOT NULL,
    url            TEXT NOT NULL,
    events         TEXT NOT NULL, -- separated by spaces; empty for all
    payload        TEXT NOT NULL,
    secret         TEXT NOT NULL,
    old_secret     TEXT, -- also signs until old_until
    old_until      BIGINT,
    stopped        TEXT NOT NULL DEFAULT '', -- why nothing is sent; empty if it is on
    stopped_at     BIGINT,
    epoch          TEXT NOT NULL, -- of the changes to which the position belongs
    read_xid       BIGINT NOT NULL, -- the last change that was read
    read_id        BIGINT NOT NULL,
    failing_since  BIGINT, -- the first failed attempt since the last success
    strained       BOOLEAN NOT NULL DEFAULT FALSE, -- the last attempt failed or was slow
    hold_until     BIGINT NOT NULL DEFAULT 0, -- nothing is sent before
    wake_at        BIGINT, -- when a delivery is due
    crowded        BOOLEAN NOT NULL DEFAULT FALSE, -- so many deliveries wait that it reads no further changes
    lease          TEXT NOT NULL DEFAULT '', -- of the process that sends
    leased_until   BIGINT NOT NULL DEFAULT 0, -- in seconds, on the clock of the database
    succeeded_at   BIGINT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);
CREATE INDEX webhooks_user ON webhooks (user_id, id);
CREATE INDEX webhooks_read ON webhooks (read_xid, read_id) WHERE stopped = '' AND NOT crowded;
CREATE INDEX webhooks_wake ON webhooks (wake_at) WHERE wake_at IS NOT NULL;

-- What is, or was, sent.
CREATE TABLE webhook_deliveries (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id   BIGINT NOT NULL REFERENCES webhooks (id),
    message      TEXT NOT NULL, -- the same in each attempt
    channel_id   BIGINT NOT NULL, -- sent in order; 0 for things outside of channels
    type         TEXT NOT NULL,
    change       TEXT NOT NULL, -- as JSON, before it is decided who may see it; empty for a test
    state        TEXT NOT NULL,
    manual       BOOLEAN NOT NULL, -- sent once, out of order
    attempts     BIGINT NOT NULL DEFAULT 0,
    next_at      BIGINT, -- NULL unless it is pending
    status       BIGINT, -- of the last response
    problem      TEXT, -- of the last attempt
    response     TEXT, -- the beginning of the last one
    took         BIGINT, -- milliseconds
    attempted_at BIGINT,
    created_at   BIGINT NOT NULL
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, channel_id, id) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);
