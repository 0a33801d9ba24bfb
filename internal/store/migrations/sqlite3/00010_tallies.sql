-- +goose Up

-- Aggregated answers of a closed sweep, by rules. They could be computed from the analyses, but are
-- stored because a year has millions of these.
CREATE TABLE tallies (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  sweep        TEXT NOT NULL,
  answers      INTEGER NOT NULL, -- number of aggregated answers
  weights      INTEGER NOT NULL, -- hash of the prompt weights that sums were computed with
  sums         BLOB NOT NULL, -- by target, over all prompts
  cells        BLOB NOT NULL, -- by prompt and target, compressed
  PRIMARY KEY (organization, tracker, rules, sweep)
) WITHOUT ROWID;

-- Aggregated cells of all sweeps that were due in a range of days.
CREATE TABLE tally_spans (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  days         INTEGER NOT NULL, -- length of the range
  number       INTEGER NOT NULL, -- index of the range since 1970
  sweeps       BLOB NOT NULL, -- ids of the aggregated sweeps
  cells        BLOB NOT NULL,
  PRIMARY KEY (organization, tracker, rules, days, number)
) WITHOUT ROWID;

-- Some answers of the sweep were deleted, so it is not aggregated any more.
ALTER TABLE sweeps ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
-- The sweep that this one repeats in order to measure normal variation.
ALTER TABLE sweeps ADD COLUMN repeats TEXT;
-- Facts about the answers of its targets: models, parsers, share of blocked ones. JSON, set after closing.
ALTER TABLE sweeps ADD COLUMN facts TEXT;
-- Changes of the metrics when these rules became current. JSON.
ALTER TABLE tracker_rules ADD COLUMN report TEXT;
