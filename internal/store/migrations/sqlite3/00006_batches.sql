-- +goose Up

-- Tasks that were submitted together.
CREATE TABLE batches (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  total        INTEGER NOT NULL,  -- tasks that were handed in
  accepted     INTEGER NOT NULL,  -- of them, those that were queued
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;

-- Which task stands at which place of a batch. Apart from jobs, which move: only
-- submitting, removing and retrying a task change it.
CREATE TABLE batch_tasks (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  batch        TEXT NOT NULL,
  position     INTEGER NOT NULL,  -- in the input, from 0
  PRIMARY KEY (organization, job)
) WITHOUT ROWID;
CREATE INDEX batch_tasks_batch ON batch_tasks (organization, batch, position);

-- Which task was queued in the place of a job that failed.
CREATE TABLE retries (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  task         TEXT NOT NULL,
  PRIMARY KEY (organization, job)
) WITHOUT ROWID;
