-- +goose Up

-- The words of titles by themselves: an index of words keeps no weights.
CREATE INDEX search_words_titles ON search_words USING GIN (ts_filter(words, '{a}'));
ANALYZE search_words;
