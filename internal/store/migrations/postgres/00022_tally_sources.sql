-- +goose Up

-- The domains and the URLs that each answer of a closed sweep retrieved and cited, compressed. NULL
-- until they are collected.
ALTER TABLE tallies ADD COLUMN domains bytea;
ALTER TABLE tallies ADD COLUMN urls bytea;
