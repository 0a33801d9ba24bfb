-- +goose Up

-- Locking the row of an organization orders all changes of its slots and credits.
CREATE TABLE organizations (
  id                  TEXT PRIMARY KEY,
  name                TEXT NOT NULL UNIQUE,
  plan                TEXT NOT NULL,
  slots               INTEGER NOT NULL,
  requests_per_second INTEGER NOT NULL,
  queue_capacity      INTEGER NOT NULL,
  credits_per_cycle   INTEGER NOT NULL,
  webhook_secret      TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  running             INTEGER NOT NULL DEFAULT 0,  -- number of jobs with status PROCESSING
  balance             INTEGER NOT NULL DEFAULT 0,   -- sum of the ledger
  held                INTEGER NOT NULL DEFAULT 0,   -- the part of the balance that running jobs may be charged
  cycle_started_at    INTEGER NOT NULL,
  cycle_resets_at     INTEGER NOT NULL,
  cycle_grant         INTEGER NOT NULL,             -- granted for this cycle; unused credits expire
  cycle_used          INTEGER NOT NULL DEFAULT 0,   -- charged in this cycle
  CHECK (running >= 0 AND held >= 0 AND balance >= held)
);

CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organizations (id),
  hash         BLOB NOT NULL,
  scopes       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
);
CREATE INDEX api_keys_organization ON api_keys (organization);

-- One row for each start of a process. Settling a job checks the id.
CREATE TABLE nodes (
  id         TEXT PRIMARY KEY,
  host       TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL  -- by the database's clock
);

-- Queued and running jobs. They move to finished when they end, so that this
-- table stays small. No foreign keys: the insert is on the hot path, and
-- organizations are never deleted.
CREATE TABLE jobs (
  id           TEXT PRIMARY KEY,
  organization TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  provider     TEXT NOT NULL,
  mode         TEXT NOT NULL,
  status       TEXT NOT NULL,
  request      TEXT NOT NULL,
  most         INTEGER NOT NULL,  -- maximum cost; held while it runs
  node         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  started_at   INTEGER NOT NULL
);
CREATE INDEX jobs_node ON jobs (node);

CREATE TABLE finished (
  id           TEXT PRIMARY KEY,
  organization TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  provider     TEXT NOT NULL,
  mode         TEXT NOT NULL,
  status       TEXT NOT NULL,
  request      TEXT NOT NULL,
  charged      INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  node         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  started_at   INTEGER NOT NULL,
  finished_at  INTEGER NOT NULL,
  error        TEXT
);
CREATE INDEX finished_created ON finished (created_at);

-- Append-only. At most one entry of each kind for a job, so that no job is charged twice.
CREATE TABLE ledger (
  id           TEXT PRIMARY KEY,
  organization TEXT NOT NULL,
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  amount       INTEGER NOT NULL,
  job          TEXT,
  UNIQUE (kind, job)
);
CREATE INDEX ledger_organization ON ledger (organization, at);

CREATE TABLE captures (
  id           TEXT PRIMARY KEY,
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  pages        INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
);
CREATE INDEX captures_expiry ON captures (expires_at);
