-- +goose Up

-- Tasks that were submitted together.
CREATE TABLE batches (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  total        INTEGER NOT NULL,  -- number of submitted tasks
  accepted     INTEGER NOT NULL,  -- number of queued tasks
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;

-- Positions of tasks in batches. Not in jobs, because jobs move to another table: only submitting,
-- removing and retrying a task change this table.
CREATE TABLE batch_tasks (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  batch        TEXT NOT NULL,
  position     INTEGER NOT NULL,  -- in the input, from 0
  PRIMARY KEY (organization, job)
) WITHOUT ROWID;
CREATE INDEX batch_tasks_batch ON batch_tasks (organization, batch, position);

-- Tasks that replace failed jobs.
CREATE TABLE retries (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  task         TEXT NOT NULL,
  PRIMARY KEY (organization, job)
) WITHOUT ROWID;
