-- +goose Up

-- What the answers of a closed sweep add up to, by rules. It follows from their analyses,
-- and is kept because a year of them are millions.
CREATE TABLE tallies (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  sweep        TEXT NOT NULL,
  answers      INTEGER NOT NULL, -- that were added up
  weights      INTEGER NOT NULL, -- of the questions, as a hash: sums are made by them
  sums         BLOB NOT NULL, -- over the questions of each target
  cells        BLOB NOT NULL, -- by question and target, packed
  PRIMARY KEY (organization, tracker, rules, sweep)
) WITHOUT ROWID;

-- Cells of all sweeps that were due in a range of days, added up.
CREATE TABLE tally_spans (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  days         INTEGER NOT NULL, -- length of the range
  number       INTEGER NOT NULL, -- of the range, since 1970
  sweeps       BLOB NOT NULL, -- ids of those that are in it
  cells        BLOB NOT NULL,
  PRIMARY KEY (organization, tracker, rules, days, number)
) WITHOUT ROWID;

-- Answers of a sweep are gone: it is not added up any more.
ALTER TABLE sweeps ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
-- The sweep that this one repeats at once, to see how much is noise.
ALTER TABLE sweeps ADD COLUMN repeats TEXT;
-- What its targets answered with: models, parsers, how much was blocked; JSON, when it is closed.
ALTER TABLE sweeps ADD COLUMN facts TEXT;
-- What moved when these rules took over; JSON.
ALTER TABLE tracker_rules ADD COLUMN report TEXT;
