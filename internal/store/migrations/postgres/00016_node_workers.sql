-- +goose Up

-- How many tasks a node runs at once. A node is the home of organizations in proportion to this.
ALTER TABLE nodes ADD COLUMN workers integer NOT NULL DEFAULT 0;
