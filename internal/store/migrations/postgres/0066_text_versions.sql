-- +goose Up

-- Earlier texts of blocks and channels. Each row holds the texts as they were before somebody changed them.
CREATE TABLE text_versions (
    item_type   TEXT NOT NULL, -- 'Block' or 'Channel'; 'TrashedBlock' or 'TrashedChannel' while it is in Trash
    item_id     BIGINT NOT NULL,
    slot        BIGINT NOT NULL, -- 0 for the first version; the others share the next ones
    number      BIGINT NOT NULL, -- from 1
    user_id     BIGINT NOT NULL REFERENCES users (id), -- who replaced these texts
    title       TEXT,
    description TEXT, -- Markdown, like the content
    content     TEXT,
    alt_text    TEXT,
    since       BIGINT NOT NULL, -- when they were replaced
    replaced_at BIGINT NOT NULL, -- when the same user last changed the texts that replaced them
    PRIMARY KEY (item_type, item_id, slot)
);
CREATE INDEX text_versions_user ON text_versions (user_id);
