-- +goose Up

-- The tracker that a job belongs to, so that the ledger can show it.
ALTER TABLE jobs ADD COLUMN tracker text;
ALTER TABLE finished ADD COLUMN tracker text;
ALTER TABLE ledger ADD COLUMN tracker text;

CREATE TABLE trackers (
  organization uuid NOT NULL,
  id           uuid NOT NULL,
  name         text NOT NULL,
  state        text NOT NULL,              -- active, paused or deleting; while deleting, its name is free
  version      integer NOT NULL,           -- of the definition
  definition   text NOT NULL,              -- JSON
  demo         integer NOT NULL DEFAULT 0,
  keep_days    integer NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  next_slot    text,                       -- slot of the next sweep
  due_at       bigint,
  PRIMARY KEY (organization, id)
);
CREATE UNIQUE INDEX trackers_name ON trackers (organization, name) WHERE state <> 'deleting';
CREATE INDEX trackers_due ON trackers (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX trackers_deleting ON trackers (organization) WHERE state = 'deleting';

-- Every definition that was applied.
CREATE TABLE tracker_versions (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  version      integer NOT NULL,
  definition   text NOT NULL,
  applied_at   bigint NOT NULL,
  PRIMARY KEY (organization, tracker, version)
);

-- Current and former prompts and targets of a tracker. The meaning of an id never changes.
CREATE TABLE tracker_prompts (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           integer NOT NULL,
  active       integer NOT NULL,
  name         text NOT NULL,              -- text of the prompt
  definition   text NOT NULL,              -- JSON, as last applied
  PRIMARY KEY (organization, tracker, id)
);
CREATE TABLE tracker_targets (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           integer NOT NULL,
  active       integer NOT NULL,
  name         text NOT NULL,              -- such as chatassistant/US
  definition   text NOT NULL,
  PRIMARY KEY (organization, tracker, id)
);

CREATE TABLE sweeps (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           uuid NOT NULL,
  slot         text NOT NULL,              -- a local time and its time zone, or "manual" and a key
  state        text NOT NULL,
  reason       text,
  version      integer NOT NULL,
  month        text NOT NULL,              -- whose ceiling it counts against, such as 2026-11
  due_at       bigint NOT NULL,
  started_at   bigint,
  ends_at      bigint NOT NULL,
  closed_at    bigint,
  planned      integer NOT NULL,
  submitted    integer NOT NULL DEFAULT 0, -- number of planned tasks that were submitted, in order
  answered     integer NOT NULL DEFAULT 0,
  missing      integer NOT NULL DEFAULT 0,
  most         bigint NOT NULL,           -- credits
  charged      bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization, tracker, id)
);
CREATE UNIQUE INDEX sweeps_slot ON sweeps (organization, tracker, slot);
CREATE INDEX sweeps_month ON sweeps (organization, tracker, month);
CREATE INDEX sweeps_running ON sweeps (organization, tracker, id) WHERE state = 'running';

-- One row for each prompt, target and sample of a sweep. It is inserted together with its task and
-- completed when the task has ended.
CREATE TABLE answers (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           uuid NOT NULL,              -- of the task
  sweep        uuid NOT NULL,
  prompt       integer NOT NULL,
  target       integer NOT NULL,
  sample       integer NOT NULL,
  outcome      text NOT NULL,
  reason       text,
  surface      text,
  model        text,
  asked_at     bigint NOT NULL,
  finished_at  bigint,
  charged      bigint NOT NULL DEFAULT 0,
  attempts     integer NOT NULL DEFAULT 0,
  body         bytea,                       -- the hash of the result
  PRIMARY KEY (organization, tracker, id)
);
-- Free space in the pages lets rows be completed in place.
ALTER TABLE answers SET (fillfactor = 80);
-- Neither index begins with a column of the primary key. Otherwise the planner, without statistics,
-- would use it to find an answer by id and read all answers of the tracker.
CREATE UNIQUE INDEX answers_cell ON answers (sweep, organization, tracker, prompt, target, sample);
CREATE INDEX answers_prompt ON answers (prompt, organization, tracker, id);

-- Results of answers. Equal results are stored once.
CREATE TABLE bodies (
  organization uuid NOT NULL,
  hash         bytea NOT NULL,
  content      bytea NOT NULL,              -- zstd
  answers      bigint NOT NULL,           -- number of answers that have this result
  PRIMARY KEY (organization, hash)
);

ALTER TABLE bodies ALTER COLUMN content SET STORAGE EXTERNAL;

-- Organizations with running sweeps, and the last ended task whose answer is recorded.
CREATE TABLE followers (
  organization uuid NOT NULL PRIMARY KEY,
  event        bigint NOT NULL
);
