-- +goose Up

-- The rules by which brands are found in the answers of a tracker. Numbers are read by
-- those that are current; newer ones take their place when all kept answers are analysed
-- by them.
CREATE TABLE tracker_rules (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  version      integer NOT NULL,
  state        text NOT NULL,              -- current, pending, or old
  brands       text NOT NULL,              -- JSON
  code         integer NOT NULL,           -- version of the code that finds them
  created_at   bigint NOT NULL,
  finished_at  bigint,                    -- when all answers were analysed
  cursor       uuid NOT NULL,              -- the last answer that was looked at
  done         integer NOT NULL DEFAULT 0, -- answers that were looked at
  PRIMARY KEY (organization, tracker, version)
);
CREATE UNIQUE INDEX tracker_rules_current ON tracker_rules (organization, tracker) WHERE state = 'current';
CREATE INDEX tracker_rules_unfinished ON tracker_rules (organization, tracker, version) WHERE finished_at IS NULL;

-- What rules find in an answer. It follows from the two, and is kept because numbers are
-- made of thousands of them.
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
