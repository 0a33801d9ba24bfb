-- +goose Up

-- The tracker that a job belongs to, so that the ledger can show it.
ALTER TABLE jobs ADD COLUMN tracker TEXT;
ALTER TABLE finished ADD COLUMN tracker TEXT;
ALTER TABLE ledger ADD COLUMN tracker TEXT;

CREATE TABLE trackers (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,
  name         TEXT NOT NULL,
  state        TEXT NOT NULL,              -- active, paused or deleting; while deleting, its name is free
  version      INTEGER NOT NULL,           -- of the definition
  definition   TEXT NOT NULL,              -- JSON
  demo         INTEGER NOT NULL DEFAULT 0,
  keep_days    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  next_slot    TEXT,                       -- slot of the next sweep
  due_at       INTEGER,
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX trackers_name ON trackers (organization, name) WHERE state <> 'deleting';
CREATE INDEX trackers_due ON trackers (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX trackers_deleting ON trackers (organization) WHERE state = 'deleting';

-- Every definition that was applied.
CREATE TABLE tracker_versions (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  version      INTEGER NOT NULL,
  definition   TEXT NOT NULL,
  applied_at   INTEGER NOT NULL,
  PRIMARY KEY (organization, tracker, version)
) WITHOUT ROWID;

-- Current and former prompts and targets of a tracker. The meaning of an id never changes.
CREATE TABLE tracker_prompts (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           INTEGER NOT NULL,
  active       INTEGER NOT NULL,
  name         TEXT NOT NULL,              -- text of the prompt
  definition   TEXT NOT NULL,              -- JSON, as last applied
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE TABLE tracker_targets (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           INTEGER NOT NULL,
  active       INTEGER NOT NULL,
  name         TEXT NOT NULL,              -- such as chatassistant/US
  definition   TEXT NOT NULL,
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;

CREATE TABLE sweeps (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           TEXT NOT NULL,
  slot         TEXT NOT NULL,              -- a local time and its time zone, or "manual" and a key
  state        TEXT NOT NULL,
  reason       TEXT,
  version      INTEGER NOT NULL,
  month        TEXT NOT NULL,              -- whose ceiling it counts against, such as 2026-11
  due_at       INTEGER NOT NULL,
  started_at   INTEGER,
  ends_at      INTEGER NOT NULL,
  closed_at    INTEGER,
  planned      INTEGER NOT NULL,
  submitted    INTEGER NOT NULL DEFAULT 0, -- number of planned tasks that were submitted, in order
  answered     INTEGER NOT NULL DEFAULT 0,
  missing      INTEGER NOT NULL DEFAULT 0,
  most         INTEGER NOT NULL,           -- credits
  charged      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX sweeps_slot ON sweeps (organization, tracker, slot);
CREATE INDEX sweeps_month ON sweeps (organization, tracker, month);
CREATE INDEX sweeps_running ON sweeps (organization, tracker, id) WHERE state = 'running';

-- One row for each prompt, target and sample of a sweep. It is inserted together with its task and
-- completed when the task has ended.
CREATE TABLE answers (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           TEXT NOT NULL,              -- of the task
  sweep        TEXT NOT NULL,
  prompt       INTEGER NOT NULL,
  target       INTEGER NOT NULL,
  sample       INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  reason       TEXT,
  surface      TEXT,
  model        TEXT,
  asked_at     INTEGER NOT NULL,
  finished_at  INTEGER,
  charged      INTEGER NOT NULL DEFAULT 0,
  attempts     INTEGER NOT NULL DEFAULT 0,
  body         BLOB,                       -- the hash of the result
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX answers_cell ON answers (organization, tracker, sweep, prompt, target, sample);
CREATE INDEX answers_prompt ON answers (organization, tracker, prompt, id);

-- Results of answers. Equal results are stored once.
CREATE TABLE bodies (
  organization TEXT NOT NULL,
  hash         BLOB NOT NULL,
  content      BLOB NOT NULL,              -- zstd
  answers      INTEGER NOT NULL,           -- number of answers that have this result
  PRIMARY KEY (organization, hash)
) WITHOUT ROWID;

-- Organizations with running sweeps, and the last ended task whose answer is recorded.
CREATE TABLE followers (
  organization TEXT NOT NULL PRIMARY KEY,
  event        INTEGER NOT NULL
) WITHOUT ROWID;
