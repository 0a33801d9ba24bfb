-- +goose Up

-- How many tasks a node runs at once: the more, the more organizations it is the home of.
ALTER TABLE nodes ADD COLUMN workers INTEGER NOT NULL DEFAULT 0;
