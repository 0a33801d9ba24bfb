-- +goose Up

-- What its owner calls a key, '' for nothing.
ALTER TABLE api_keys ADD COLUMN name text NOT NULL DEFAULT '';
