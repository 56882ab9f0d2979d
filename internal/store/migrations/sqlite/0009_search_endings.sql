-- +goose Up

-- The words that there are: a search reads here how the last one of a query may go on.
CREATE VIRTUAL TABLE search_vocabulary USING fts5vocab(search_words, row);
