-- +goose Up

-- The part of the server for which a client requested a token (RFC 8707); empty: all of it.
ALTER TABLE authorization_codes ADD COLUMN audience TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN audience TEXT NOT NULL DEFAULT '';
