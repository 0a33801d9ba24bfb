-- +goose Up

-- The rules by which brands are found in the answers of a tracker. Numbers are read by
-- those that are current; newer ones take their place when all kept answers are analysed
-- by them.
CREATE TABLE tracker_rules (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  version      INTEGER NOT NULL,
  state        TEXT NOT NULL,              -- current, pending, or old
  brands       TEXT NOT NULL,              -- JSON
  code         INTEGER NOT NULL,           -- version of the code that finds them
  created_at   INTEGER NOT NULL,
  finished_at  INTEGER,                    -- when all answers were analysed
  cursor       TEXT NOT NULL,              -- the last answer that was looked at
  done         INTEGER NOT NULL DEFAULT 0, -- answers that were looked at
  PRIMARY KEY (organization, tracker, version)
) WITHOUT ROWID;
CREATE UNIQUE INDEX tracker_rules_current ON tracker_rules (organization, tracker) WHERE state = 'current';
CREATE INDEX tracker_rules_unfinished ON tracker_rules (organization, tracker, version) WHERE finished_at IS NULL;

-- What rules find in an answer. It follows from the two, and is kept because numbers are
-- made of thousands of them.
CREATE TABLE analyses (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  answer       TEXT NOT NULL,
  rules        INTEGER NOT NULL,
  sweep        TEXT NOT NULL,
  prompt       INTEGER NOT NULL,
  target       INTEGER NOT NULL,
  sample       INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  surface      TEXT,
  content      BLOB NOT NULL,
  PRIMARY KEY (organization, tracker, answer, rules)
) WITHOUT ROWID;
