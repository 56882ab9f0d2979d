-- +goose Up

-- Words of documents that can correct misspelled ones, each from its beginning and from its end. Words are not
-- removed.
CREATE TABLE search_spellings (
    backwards BOOLEAN NOT NULL,
    letters   INTEGER NOT NULL,
    spelling  TEXT NOT NULL,
    PRIMARY KEY (backwards, letters, spelling)
) WITHOUT ROWID;
