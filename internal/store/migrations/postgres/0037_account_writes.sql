-- +goose Up

-- How many transactions of each user have written, where there are replicas to read from: a
-- replica that has the number has what they wrote.
CREATE TABLE account_writes (
    user_id BIGINT PRIMARY KEY,
    n       BIGINT NOT NULL
) WITH (fillfactor = 50);
