-- +goose Up

-- Closed sweeps are counted again from their answers, in another form. Nodes of the release before still
-- use the tables tallies and tally_spans during a rolling upgrade. The next release drops them.

-- A closed sweep whose answers were counted by rules. Its cells may stay after its answers were deleted.
CREATE TABLE counted (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  sweep        TEXT NOT NULL,
  answers      INTEGER NOT NULL, -- number of counted answers
  domains      BLOB NOT NULL,    -- that each answer retrieved and cited, compressed
  urls         BLOB,             -- the same by URL; NULL after the answers were deleted
  PRIMARY KEY (organization, tracker, rules, sweep)
) WITHOUT ROWID;

-- Counts of the cells (prompts) of a target on a surface in a counted sweep.
CREATE TABLE cells (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  family       INTEGER NOT NULL, -- which counts: 0 names, 1 pages, 2 other contents
  sweep        TEXT NOT NULL,
  target       INTEGER NOT NULL,
  surface      TEXT NOT NULL,
  answers      INTEGER NOT NULL, -- number of counted answers
  content      BLOB NOT NULL,    -- one column for each count
  PRIMARY KEY (organization, tracker, rules, family, sweep, target, surface)
) WITHOUT ROWID;

-- How many days numbers are kept. They outlive the answers.
ALTER TABLE trackers ADD COLUMN keep_numbers_days INTEGER NOT NULL DEFAULT 1826;
