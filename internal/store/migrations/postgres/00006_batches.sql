-- +goose Up

-- Tasks that were submitted together.
CREATE TABLE batches (
  organization uuid NOT NULL,
  id           uuid NOT NULL,
  created_at   bigint NOT NULL,
  total        bigint NOT NULL,  -- number of submitted tasks
  accepted     bigint NOT NULL,  -- number of queued tasks
  PRIMARY KEY (organization, id)
);

-- Positions of tasks in batches. Not in jobs, because jobs move to another table: only submitting,
-- removing and retrying a task change this table.
CREATE TABLE batch_tasks (
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  batch        uuid NOT NULL,
  position     bigint NOT NULL,  -- in the input, from 0
  PRIMARY KEY (organization, job)
);
CREATE INDEX batch_tasks_batch ON batch_tasks (organization, batch, position);

-- Tasks that replace failed jobs.
CREATE TABLE retries (
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  task         uuid NOT NULL,
  PRIMARY KEY (organization, job)
);
