-- +goose Up

-- Tasks that were submitted together.
CREATE TABLE batches (
  organization uuid NOT NULL,
  id           uuid NOT NULL,
  created_at   bigint NOT NULL,
  total        bigint NOT NULL,  -- tasks that were handed in
  accepted     bigint NOT NULL,  -- of them, those that were queued
  PRIMARY KEY (organization, id)
);

-- Which task stands at which place of a batch. Apart from jobs, which move: only
-- submitting, removing and retrying a task change it.
CREATE TABLE batch_tasks (
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  batch        uuid NOT NULL,
  position     bigint NOT NULL,  -- in the input, from 0
  PRIMARY KEY (organization, job)
);
CREATE INDEX batch_tasks_batch ON batch_tasks (organization, batch, position);

-- Which task was queued in the place of a job that failed.
CREATE TABLE retries (
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  task         uuid NOT NULL,
  PRIMARY KEY (organization, job)
);
