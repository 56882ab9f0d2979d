-- +goose Up

-- SQLite has a table of the places of words from here on. PostgreSQL finds them in its index.
SELECT 1;
