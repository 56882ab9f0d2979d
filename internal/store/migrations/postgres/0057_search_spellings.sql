-- +goose Up

-- Words of documents that can correct misspelled ones, each from its beginning and from its end. Words are not
-- removed. The index is not unique, so that transactions that write the same word do not wait for each other.
CREATE TABLE search_spellings (
    backwards BOOLEAN NOT NULL,
    letters   BIGINT NOT NULL,
    spelling  TEXT COLLATE "C" NOT NULL
);
CREATE INDEX search_spellings_place ON search_spellings (backwards, letters, spelling);
