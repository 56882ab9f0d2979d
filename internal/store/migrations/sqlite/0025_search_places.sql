-- +goose Up

-- The places of words, which a search reads one by one until it knows whether these are few.
CREATE VIRTUAL TABLE search_places USING fts5vocab(search_words, instance);
