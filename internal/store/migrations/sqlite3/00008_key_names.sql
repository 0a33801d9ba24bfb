-- +goose Up

-- The name that its owner has given a key, or ''.
ALTER TABLE api_keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
