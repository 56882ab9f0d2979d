-- +goose Up

-- How many transactions of each user have written, where there are replicas to read from: there
-- are none of SQLite, and the table is empty but for what a backup of PostgreSQL brings.
CREATE TABLE account_writes (
    user_id INTEGER PRIMARY KEY,
    n       BIGINT NOT NULL
);
