-- +goose Up

-- The name that its owner has given a key, or ''.
ALTER TABLE api_keys ADD COLUMN name text NOT NULL DEFAULT '';
