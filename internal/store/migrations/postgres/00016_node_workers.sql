-- +goose Up

-- How many tasks a node runs at once: the more, the more organizations it is the home of.
ALTER TABLE nodes ADD COLUMN workers integer NOT NULL DEFAULT 0;
