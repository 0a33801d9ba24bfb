-- +goose Up

-- Closed sweeps are counted again from their answers, in another form. Nodes of the release before still
-- use the tables tallies and tally_spans during a rolling upgrade. The next release drops them.

-- A closed sweep whose answers were counted by rules. Its cells may stay after its answers were deleted.
CREATE TABLE counted (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  sweep        uuid NOT NULL,
  answers      integer NOT NULL, -- number of counted answers
  domains      bytea NOT NULL,   -- that each answer retrieved and cited, compressed
  urls         bytea,            -- the same by URL; NULL after the answers were deleted
  PRIMARY KEY (organization, tracker, rules, sweep)
);

-- Counts of the cells (prompts) of a target on a surface in a counted sweep.
CREATE TABLE cells (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  family       integer NOT NULL, -- which counts: 0 names, 1 pages, 2 other contents
  sweep        uuid NOT NULL,
  target       integer NOT NULL,
  surface      text NOT NULL,
  answers      integer NOT NULL, -- number of counted answers
  content      bytea NOT NULL,   -- one column for each count
  PRIMARY KEY (organization, tracker, rules, family, sweep, target, surface)
);
-- Queries read thousands of rows whole. They are small without compression, too.
ALTER TABLE cells ALTER COLUMN content SET STORAGE EXTERNAL;

-- How many days numbers are kept. They outlive the answers.
ALTER TABLE trackers ADD COLUMN keep_numbers_days integer NOT NULL DEFAULT 1826;
