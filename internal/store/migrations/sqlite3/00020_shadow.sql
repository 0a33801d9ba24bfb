-- +goose Up

-- Answers of jobs, compared with answers to the same requests from a second upstream, or
-- from the same upstream asked again. Figures are in millionths, NULL if there was nothing
-- to compare.
CREATE TABLE shadow_pairs (
  organization     TEXT NOT NULL,
  at               INTEGER NOT NULL,
  job              TEXT NOT NULL,
  number           INTEGER NOT NULL,  -- distinguishes the pairs of a job
  provider         TEXT NOT NULL,
  country          TEXT NOT NULL,
  first_upstream   TEXT NOT NULL,
  second_upstream  TEXT NOT NULL,  -- equals first_upstream if that was asked again
  reason           TEXT NOT NULL,  -- why the second request failed, empty if it was answered
  domains          INTEGER,
  brands           INTEGER,
  organic          INTEGER,
  fields           INTEGER,
  first_ms         INTEGER NOT NULL,
  second_ms        INTEGER NOT NULL,
  first_micro_usd  INTEGER NOT NULL,
  second_micro_usd INTEGER NOT NULL,
  PRIMARY KEY (organization, at, job, number)
) WITHOUT ROWID;
CREATE INDEX shadow_pairs_at ON shadow_pairs (at);
