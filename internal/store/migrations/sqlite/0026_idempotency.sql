-- +goose Up

-- Keys of requests over the API are kept with what is needed to answer the same request again.
ALTER TABLE once_keys ADD COLUMN request BLOB; -- SHA-256 of method, address and body; NULL for keys of forms
ALTER TABLE once_keys ADD COLUMN answer BLOB;  -- sealed with token and key; NULL until it is there
