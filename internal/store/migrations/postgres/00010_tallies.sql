-- +goose Up

-- What the answers of a closed sweep add up to, by rules. It follows from their analyses,
-- and is kept because a year of them are millions.
CREATE TABLE tallies (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  sweep        uuid NOT NULL,
  answers      integer NOT NULL, -- that were added up
  weights      bigint NOT NULL, -- of the questions, as a hash: sums are made by them
  sums         bytea NOT NULL, -- over the questions of each target
  cells        bytea NOT NULL, -- by question and target, packed
  PRIMARY KEY (organization, tracker, rules, sweep)
);

-- Cells of all sweeps that were due in a range of days, added up.
CREATE TABLE tally_spans (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  rules        integer NOT NULL,
  days         integer NOT NULL, -- length of the range
  number       integer NOT NULL, -- of the range, since 1970
  sweeps       bytea NOT NULL, -- ids of those that are in it
  cells        bytea NOT NULL,
  PRIMARY KEY (organization, tracker, rules, days, number)
);

-- Answers of a sweep are gone: it is not added up any more.
ALTER TABLE sweeps ADD COLUMN pruned integer NOT NULL DEFAULT 0;
-- The sweep that this one repeats at once, to see how much is noise.
ALTER TABLE sweeps ADD COLUMN repeats uuid;
-- What its targets answered with: models, parsers, how much was blocked; JSON, when it is closed.
ALTER TABLE sweeps ADD COLUMN facts text;
-- What moved when these rules took over; JSON.
ALTER TABLE tracker_rules ADD COLUMN report text;
