-- +goose Up

-- The rules by which brands are found in the answers of a tracker. Metrics use the current rules.
-- Newer rules replace them when all existing answers are analysed by the newer rules.
CREATE TABLE tracker_rules (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  version      integer NOT NULL,
  state        text NOT NULL,              -- current, pending, or old
  brands       text NOT NULL,              -- JSON
  code         integer NOT NULL,           -- version of the code that applies the rules
  created_at   bigint NOT NULL,
  finished_at  bigint,                    -- when all answers were analysed
  cursor       uuid NOT NULL,              -- the last analysed answer
  done         integer NOT NULL DEFAULT 0, -- number of analysed answers
  PRIMARY KEY (organization, tracker, version)
);
CREATE UNIQUE INDEX tracker_rules_current ON tracker_rules (organization, tracker) WHERE state = 'current';
CREATE INDEX tracker_rules_unfinished ON tracker_rules (organization, tracker, version) WHERE finished_at IS NULL;

-- The results of applying rules to answers. They could be computed again, but are stored because
-- metrics need thousands of them.
CREATE TABLE analyses (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  answer       uuid NOT NULL,
  rules        integer NOT NULL,
  sweep        uuid NOT NULL,
  prompt       integer NOT NULL,
  target       integer NOT NULL,
  sample       integer NOT NULL,
  outcome      text NOT NULL,
  surface      text,
  content      bytea NOT NULL,
  PRIMARY KEY (organization, tracker, answer, rules)
);
