-- +goose Up

ALTER TABLE organizations
  ADD COLUMN queued    integer NOT NULL DEFAULT 0 CHECK (queued >= 0),  -- tasks QUEUED
  ADD COLUMN served_at bigint NOT NULL DEFAULT 0,                       -- when its last turn was
  ADD COLUMN events    bigint NOT NULL DEFAULT 0,                       -- tasks that have ended so far
  ADD COLUMN webhook_secret_before     text,                            -- still valid for a while after a rotation
  ADD COLUMN webhook_secret_rotated_at bigint,
  -- A column, since an index over its parts would have to be kept up with every change of theirs.
  ADD COLUMN ready     boolean GENERATED ALWAYS AS (queued > 0 AND running < slots) STORED;
-- Whose turn it is.
CREATE INDEX organizations_ready ON organizations (served_at) WHERE ready;

-- What a queue leaves behind is cleaned up as it comes, not after a fifth of the
-- table.
ALTER TABLE organizations SET (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE jobs SET (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Every statement on jobs knows the organization.
DROP INDEX jobs_node;
ALTER TABLE jobs DROP CONSTRAINT jobs_pkey;
ALTER TABLE jobs
  ADD PRIMARY KEY (organization, id),
  ALTER COLUMN node DROP NOT NULL,        -- nobody has it while it is QUEUED
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
  ALTER COLUMN node DROP NOT NULL,        -- it may fail without having been started
  ALTER COLUMN started_at DROP NOT NULL,
  ADD COLUMN most            bigint NOT NULL DEFAULT 0,
  ADD COLUMN priority        smallint NOT NULL DEFAULT 1,
  ADD COLUMN idempotency_key text,
  ADD COLUMN event           bigint,      -- its place among the organization's ended tasks
  ADD COLUMN result          bytea;       -- zstd
-- It is compressed already.
ALTER TABLE finished ALTER COLUMN result SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX finished_events ON finished (organization, event) WHERE event IS NOT NULL;

-- Ids tell when a job was created.
DROP INDEX finished_created;

-- A charge has the id of its job, so that no job is charged twice.
UPDATE ledger SET id = job WHERE job IS NOT NULL;
DROP INDEX ledger_organization;
ALTER TABLE ledger DROP CONSTRAINT ledger_pkey;
ALTER TABLE ledger DROP COLUMN job; -- and with it the constraint that said so before
ALTER TABLE ledger ADD PRIMARY KEY (organization, id, kind);

-- Apart from jobs, since a job moves.
CREATE TABLE idempotency_keys (
  organization uuid NOT NULL,
  key          text NOT NULL,
  job          uuid NOT NULL,
  PRIMARY KEY (organization, key)
);

-- What jobs came to that are no longer kept.
CREATE TABLE usage (
  organization uuid NOT NULL,
  day          bigint NOT NULL,  -- days since 1970, UTC
  provider     text NOT NULL,
  completed    bigint NOT NULL,
  failed       bigint NOT NULL,
  charged      bigint NOT NULL,
  PRIMARY KEY (organization, day, provider)
);

-- Where an organization's webhooks go. Deliveries wait in line behind their
-- receiver, so that one that hangs holds up nobody else's.
CREATE TABLE receivers (
  organization uuid NOT NULL,
  origin       text NOT NULL,               -- scheme, host and port
  due_at       bigint,                      -- when its next delivery is; null when none waits
  leased_until bigint NOT NULL DEFAULT 0,   -- a node is at it
  PRIMARY KEY (organization, origin)
);
CREATE INDEX receivers_due ON receivers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE deliveries (
  organization uuid NOT NULL,
  job          uuid NOT NULL,               -- also the webhook's id: a task has one
  origin       text NOT NULL,
  url          text NOT NULL,
  due_at       bigint,                      -- the next try; null when there is none
  series       integer NOT NULL DEFAULT 0,  -- tries since it was planned or last resent
  attempts     integer NOT NULL DEFAULT 0,  -- tries in all
  delivered_at bigint,
  log          text NOT NULL DEFAULT '[]',  -- how the last tries went
  PRIMARY KEY (organization, job)
);
CREATE INDEX deliveries_due ON deliveries (organization, origin, due_at) WHERE due_at IS NOT NULL;
