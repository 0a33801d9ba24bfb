-- +goose Up

-- The rules by which brands are found in the answers of a tracker. Metrics use the current rules.
-- Newer rules replace them when all existing answers are analysed by the newer rules.
CREATE TABLE tracker_rules (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  version      INTEGER NOT NULL,
  state        TEXT NOT NULL,              -- current, pending, or old
  brands       TEXT NOT NULL,              -- JSON
  code         INTEGER NOT NULL,           -- version of the code that applies the rules
  created_at   INTEGER NOT NULL,
  finished_at  INTEGER,                    -- when all answers were analysed
  cursor       TEXT NOT NULL,              -- the last analysed answer
  done         INTEGER NOT NULL DEFAULT 0, -- number of analysed answers
  PRIMARY KEY (organization, tracker, version)
) WITHOUT ROWID;
CREATE UNIQUE INDEX tracker_rules_current ON tracker_rules (organization, tracker) WHERE state = 'current';
CREATE INDEX tracker_rules_unfinished ON tracker_rules (organization, tracker, version) WHERE finished_at IS NULL;

-- The results of applying rules to answers. They could be computed again, but are stored because
-- metrics need thousands of them.
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
