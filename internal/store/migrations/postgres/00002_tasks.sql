-- +goose Up

ALTER TABLE organizations
  ADD COLUMN queued    integer NOT NULL DEFAULT 0 CHECK (queued >= 0),  -- number of tasks with status QUEUED
  ADD COLUMN served_at bigint NOT NULL DEFAULT 0,                       -- when a claim last served it
  ADD COLUMN events    bigint NOT NULL DEFAULT 0,                       -- number of tasks that have ended
  ADD COLUMN webhook_secret_before     text,                            -- still valid for a while after a rotation
  ADD COLUMN webhook_secret_rotated_at bigint,
  -- A column, because an index on the columns it depends on would be updated with each of their changes.
  ADD COLUMN ready     boolean GENERATED ALWAYS AS (queued > 0 AND running < slots) STORED;
-- Organizations with queued tasks and free slots, longest waiting first.
CREATE INDEX organizations_ready ON organizations (served_at) WHERE ready;

-- Vacuum dead tuples of the queue early, not when they are a fifth of the table.
ALTER TABLE organizations SET (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE jobs SET (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Every statement on jobs knows the organization.
DROP INDEX jobs_node;
ALTER TABLE jobs DROP CONSTRAINT jobs_pkey;
ALTER TABLE jobs
  ADD PRIMARY KEY (organization, id),
  ALTER COLUMN node DROP NOT NULL,        -- NULL while it is QUEUED
  ALTER COLUMN started_at DROP NOT NULL,
  ADD COLUMN attempts        integer NOT NULL DEFAULT 0,
  ADD COLUMN priority        smallint NOT NULL DEFAULT 1,
  ADD COLUMN idempotency_key text,
  ADD COLUMN webhook_url     text;
CREATE INDEX jobs_queued ON jobs (organization, priority DESC, id) WHERE status = 'QUEUED';
CREATE INDEX jobs_running ON jobs (organization, node) WHERE status = 'PROCESSING';

ALTER TABLE finished DROP CONSTRAINT finished_pkey;
ALTER TABLE finished
  ADD PRIMARY KEY (organization, id),
  ALTER COLUMN node DROP NOT NULL,        -- NULL if it failed without having started
  ALTER COLUMN started_at DROP NOT NULL,
  ADD COLUMN most            bigint NOT NULL DEFAULT 0,
  ADD COLUMN priority        smallint NOT NULL DEFAULT 1,
  ADD COLUMN idempotency_key text,
  ADD COLUMN event           bigint,      -- sequence number among the organization's ended tasks
  ADD COLUMN result          bytea;       -- zstd
-- The result is compressed already.
ALTER TABLE finished ALTER COLUMN result SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX finished_events ON finished (organization, event) WHERE event IS NOT NULL;

-- Ids contain the time of creation.
DROP INDEX finished_created;

-- A charge has the id of its job, so that no job is charged twice.
UPDATE ledger SET id = job WHERE job IS NOT NULL;
DROP INDEX ledger_organization;
ALTER TABLE ledger DROP CONSTRAINT ledger_pkey;
ALTER TABLE ledger DROP COLUMN job; -- this also drops the old constraint for the same purpose
ALTER TABLE ledger ADD PRIMARY KEY (organization, id, kind);

-- Not in jobs, because jobs move to another table.
CREATE TABLE idempotency_keys (
  organization uuid NOT NULL,
  key          text NOT NULL,
  job          uuid NOT NULL,
  PRIMARY KEY (organization, key)
);

-- Counts of jobs that were deleted.
CREATE TABLE usage (
  organization uuid NOT NULL,
  day          bigint NOT NULL,  -- days since 1970, UTC
  provider     text NOT NULL,
  completed    bigint NOT NULL,
  failed       bigint NOT NULL,
  charged      bigint NOT NULL,
  PRIMARY KEY (organization, day, provider)
);

-- Receivers of an organization's webhooks. Deliveries are sent by receiver, so that a receiver
-- that hangs delays only its own deliveries.
CREATE TABLE receivers (
  organization uuid NOT NULL,
  origin       text NOT NULL,               -- scheme, host and port
  due_at       bigint,                      -- time of its next delivery; NULL if none is planned
  leased_until bigint NOT NULL DEFAULT 0,   -- until when a node has leased it
  PRIMARY KEY (organization, origin)
);
CREATE INDEX receivers_due ON receivers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE deliveries (
  organization uuid NOT NULL,
  job          uuid NOT NULL,               -- also the id of the webhook: a task has at most one
  origin       text NOT NULL,
  url          text NOT NULL,
  due_at       bigint,                      -- time of the next try; NULL if none is planned
  series       integer NOT NULL DEFAULT 0,  -- tries since it was planned or last resent
  attempts     integer NOT NULL DEFAULT 0,  -- number of all tries
  delivered_at bigint,
  log          text NOT NULL DEFAULT '[]',  -- outcomes of the last tries
  PRIMARY KEY (organization, job)
);
CREATE INDEX deliveries_due ON deliveries (organization, origin, due_at) WHERE due_at IS NOT NULL;
