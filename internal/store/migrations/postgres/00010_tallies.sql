-- +goose Up

-- Aggregated answers of a closed sweep, by rules. They could be computed from the analyses, but are
-- stored because a year has millions of these.
CREATE TABLE tallies (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  sweep        uuid NOT NULL,
  answers      integer NOT NULL, -- number of aggregated answers
  weights      bigint NOT NULL, -- hash of the prompt weights that sums were computed with
  sums         bytea NOT NULL, -- by target, over all prompts
  cells        bytea NOT NULL, -- by prompt and target, compressed
  PRIMARY KEY (organization, tracker, rules, sweep)
);

-- Aggregated cells of all sweeps that were due in a range of days.
CREATE TABLE tally_spans (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  days         integer NOT NULL, -- length of the range
  number       integer NOT NULL, -- index of the range since 1970
  sweeps       bytea NOT NULL, -- ids of the aggregated sweeps
  cells        bytea NOT NULL,
  PRIMARY KEY (organization, tracker, rules, days, number)
);

-- Some answers of the sweep were deleted, so it is not aggregated any more.
ALTER TABLE sweeps ADD COLUMN pruned integer NOT NULL DEFAULT 0;
-- The sweep that this one repeats in order to measure normal variation.
ALTER TABLE sweeps ADD COLUMN repeats uuid;
-- Facts about the answers of its targets: models, parsers, share of blocked ones. JSON, set after closing.
ALTER TABLE sweeps ADD COLUMN facts text;
-- Changes of the metrics when these rules became current. JSON.
ALTER TABLE tracker_rules ADD COLUMN report text;
