-- +goose Up

-- A thing that was reported. While it is open, further reports of the same thing join it. Nothing
-- refers to the thing, since it may be gone when the case is read.
CREATE TABLE report_cases (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT NOT NULL,
    target_id BIGINT NOT NULL,
    label     TEXT NOT NULL,   -- as it was called when it was first reported
    owner_id  BIGINT NOT NULL, -- user who answers for it
    reports   BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    last_at   BIGINT NOT NULL, -- of the latest report
    closed_at BIGINT,
    closed_by BIGINT NOT NULL, -- user, 0 for none and for the command line
    outcome   TEXT NOT NULL,   -- '' while it is open
    words     TEXT NOT NULL    -- what its owner was told
);
CREATE UNIQUE INDEX report_cases_thing ON report_cases (kind, target_id) WHERE closed_at IS NULL;
CREATE INDEX report_cases_open ON report_cases (id) WHERE closed_at IS NULL;
CREATE INDEX report_cases_closed ON report_cases (id) WHERE closed_at IS NOT NULL;

CREATE TABLE reports (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id     BIGINT NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    reporter_id BIGINT NOT NULL REFERENCES users (id),
    reason      TEXT NOT NULL,
    words       TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX reports_once ON reports (case_id, reporter_id);
CREATE INDEX reports_reporter ON reports (reporter_id, id);

-- What operators have told somebody about what is theirs, or about what they reported.
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    what       TEXT NOT NULL,
    kind       TEXT NOT NULL, -- of the thing that it is about
    target_id  BIGINT NOT NULL,
    label      TEXT NOT NULL,
    words      TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX notices_user ON notices (user_id, id);
ALTER TABLE users ADD COLUMN unread_notices BIGINT NOT NULL DEFAULT 0;
