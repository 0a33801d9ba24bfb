-- +goose Up

ALTER TABLE organizations ADD COLUMN queued INTEGER NOT NULL DEFAULT 0 CHECK (queued >= 0);  -- number of tasks with status QUEUED
ALTER TABLE organizations ADD COLUMN served_at INTEGER NOT NULL DEFAULT 0;                   -- when a claim last served it
ALTER TABLE organizations ADD COLUMN events INTEGER NOT NULL DEFAULT 0;                      -- number of tasks that have ended
ALTER TABLE organizations ADD COLUMN webhook_secret_before TEXT;                             -- still valid for a while after a rotation
ALTER TABLE organizations ADD COLUMN webhook_secret_rotated_at INTEGER;
ALTER TABLE organizations ADD COLUMN ready INTEGER GENERATED ALWAYS AS (queued > 0 AND running < slots) VIRTUAL;
-- Organizations with queued tasks and free slots, longest waiting first.
CREATE INDEX organizations_ready ON organizations (served_at) WHERE ready;

-- Every statement on jobs knows the organization, which therefore begins the primary key.
-- SQLite cannot change a primary key, so the tables are created again.
DROP INDEX jobs_node;
ALTER TABLE jobs RENAME TO jobs_before;
CREATE TABLE jobs (
  organization    TEXT NOT NULL,
  id              TEXT NOT NULL,
  key_id          TEXT NOT NULL,
  provider        TEXT NOT NULL,
  mode            TEXT NOT NULL,
  status          TEXT NOT NULL,
  request         TEXT NOT NULL,
  most            INTEGER NOT NULL,  -- maximum cost; held while it runs
  node            TEXT,              -- NULL while it is QUEUED
  created_at      INTEGER NOT NULL,
  started_at      INTEGER,
  attempts        INTEGER NOT NULL DEFAULT 0,
  priority        INTEGER NOT NULL DEFAULT 1,
  idempotency_key TEXT,
  webhook_url     TEXT,
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;
INSERT INTO jobs (organization, id, key_id, provider, mode, status, request, most, node, created_at, started_at)
  SELECT organization, id, key_id, provider, mode, status, request, most, node, created_at, started_at FROM jobs_before;
DROP TABLE jobs_before;
CREATE INDEX jobs_queued ON jobs (organization, priority DESC, id) WHERE status = 'QUEUED';
CREATE INDEX jobs_running ON jobs (organization, node) WHERE status = 'PROCESSING';

DROP INDEX finished_created; -- ids contain the time of creation
ALTER TABLE finished RENAME TO finished_before;
CREATE TABLE finished (
  organization    TEXT NOT NULL,
  id              TEXT NOT NULL,
  key_id          TEXT NOT NULL,
  provider        TEXT NOT NULL,
  mode            TEXT NOT NULL,
  status          TEXT NOT NULL,
  request         TEXT NOT NULL,
  charged         INTEGER NOT NULL,
  attempts        INTEGER NOT NULL,
  node            TEXT,              -- NULL if it failed without having started
  created_at      INTEGER NOT NULL,
  started_at      INTEGER,
  finished_at     INTEGER NOT NULL,
  error           TEXT,
  most            INTEGER NOT NULL DEFAULT 0,
  priority        INTEGER NOT NULL DEFAULT 1,
  idempotency_key TEXT,
  event           INTEGER,           -- sequence number among the organization's ended tasks
  result          BLOB,              -- zstd
  PRIMARY KEY (organization, id)
);
INSERT INTO finished (organization, id, key_id, provider, mode, status, request, charged, attempts, node, created_at, started_at, finished_at, error)
  SELECT organization, id, key_id, provider, mode, status, request, charged, attempts, node, created_at, started_at, finished_at, error
  FROM finished_before;
DROP TABLE finished_before;
CREATE UNIQUE INDEX finished_events ON finished (organization, event) WHERE event IS NOT NULL;

-- A charge has the id of its job, so that no job is charged twice.
DROP INDEX ledger_organization;
ALTER TABLE ledger RENAME TO ledger_before;
CREATE TABLE ledger (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  amount       INTEGER NOT NULL,
  PRIMARY KEY (organization, id, kind)
) WITHOUT ROWID;
INSERT INTO ledger (organization, id, at, kind, amount) SELECT organization, COALESCE(job, id), at, kind, amount FROM ledger_before;
DROP TABLE ledger_before;

-- Not in jobs, because jobs move to another table.
CREATE TABLE idempotency_keys (
  organization TEXT NOT NULL,
  key          TEXT NOT NULL,
  job          TEXT NOT NULL,
  PRIMARY KEY (organization, key)
) WITHOUT ROWID;

-- Counts of jobs that were deleted.
CREATE TABLE usage (
  organization TEXT NOT NULL,
  day          INTEGER NOT NULL,  -- days since 1970, UTC
  provider     TEXT NOT NULL,
  completed    INTEGER NOT NULL,
  failed       INTEGER NOT NULL,
  charged      INTEGER NOT NULL,
  PRIMARY KEY (organization, day, provider)
) WITHOUT ROWID;

-- Receivers of an organization's webhooks. Deliveries are sent by receiver, so that a receiver
-- that hangs delays only its own deliveries.
CREATE TABLE receivers (
  organization TEXT NOT NULL,
  origin       TEXT NOT NULL,               -- scheme, host and port
  due_at       INTEGER,                     -- time of its next delivery; NULL if none is planned
  leased_until INTEGER NOT NULL DEFAULT 0,  -- until when a node has leased it
  PRIMARY KEY (organization, origin)
) WITHOUT ROWID;
CREATE INDEX receivers_due ON receivers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE deliveries (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,               -- also the id of the webhook: a task has at most one
  origin       TEXT NOT NULL,
  url          TEXT NOT NULL,
  due_at       INTEGER,                     -- time of the next try; NULL if none is planned
  series       INTEGER NOT NULL DEFAULT 0,  -- tries since it was planned or last resent
  attempts     INTEGER NOT NULL DEFAULT 0,  -- number of all tries
  delivered_at INTEGER,
  log          TEXT NOT NULL DEFAULT '[]',  -- outcomes of the last tries
  PRIMARY KEY (organization, job)
);
CREATE INDEX deliveries_due ON deliveries (organization, origin, due_at) WHERE due_at IS NOT NULL;
