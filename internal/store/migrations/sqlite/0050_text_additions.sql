-- +goose Up

-- What each user has stored. PostgreSQL adds rows to byte_usage that are not part of its sums yet.
CREATE VIEW current_byte_usage AS SELECT user_id, unused, files, texts, texts_counted FROM byte_usage;
