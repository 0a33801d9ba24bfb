-- +goose Up

-- Locking the row of an organization orders all changes of its slots and credits.
-- Half-empty pages keep its frequent updates in place (HOT).
CREATE TABLE organizations (
  id                  uuid PRIMARY KEY,
  name                text NOT NULL UNIQUE,
  plan                text NOT NULL,
  slots               integer NOT NULL,
  requests_per_second integer NOT NULL,
  queue_capacity      integer NOT NULL,
  credits_per_cycle   bigint NOT NULL,
  webhook_secret      text NOT NULL,
  created_at          bigint NOT NULL,
  running             integer NOT NULL DEFAULT 0,  -- number of jobs with status PROCESSING
  balance             bigint NOT NULL DEFAULT 0,   -- sum of the ledger
  held                bigint NOT NULL DEFAULT 0,   -- the part of the balance that running jobs may be charged
  cycle_started_at    bigint NOT NULL,
  cycle_resets_at     bigint NOT NULL,
  cycle_grant         bigint NOT NULL,             -- granted for this cycle; unused credits expire
  cycle_used          bigint NOT NULL DEFAULT 0,   -- charged in this cycle
  CHECK (running >= 0 AND held >= 0 AND balance >= held)
) WITH (fillfactor = 60);

CREATE TABLE api_keys (
  id           text PRIMARY KEY,
  organization uuid NOT NULL REFERENCES organizations (id),
  hash         bytea NOT NULL,
  scopes       text NOT NULL,
  created_at   bigint NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  last_used_at bigint
);
CREATE INDEX api_keys_organization ON api_keys (organization);

-- One row for each start of a process. Settling a job checks the id.
CREATE TABLE nodes (
  id         uuid PRIMARY KEY,
  host       text NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL  -- by the database's clock
);

-- Queued and running jobs. They move to finished when they end, so that this
-- table stays small. No foreign keys: the insert is on the hot path, and
-- organizations are never deleted.
CREATE TABLE jobs (
  id           uuid PRIMARY KEY,
  organization uuid NOT NULL,
  key_id       text NOT NULL,
  provider     text NOT NULL,
  mode         text NOT NULL,
  status       text NOT NULL,
  request      text NOT NULL,
  most         bigint NOT NULL,  -- maximum cost; held while it runs
  node         uuid NOT NULL,
  created_at   bigint NOT NULL,
  started_at   bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX jobs_node ON jobs (node);

CREATE TABLE finished (
  id           uuid PRIMARY KEY,
  organization uuid NOT NULL,
  key_id       text NOT NULL,
  provider     text NOT NULL,
  mode         text NOT NULL,
  status       text NOT NULL,
  request      text NOT NULL,
  charged      bigint NOT NULL,
  attempts     integer NOT NULL,
  node         uuid NOT NULL,
  created_at   bigint NOT NULL,
  started_at   bigint NOT NULL,
  finished_at  bigint NOT NULL,
  error        text
);
CREATE INDEX finished_created ON finished (created_at);

-- Append-only. At most one entry of each kind for a job, so that no job is charged twice.
CREATE TABLE ledger (
  id           uuid PRIMARY KEY,
  organization uuid NOT NULL,
  at           bigint NOT NULL,
  kind         text NOT NULL,
  amount       bigint NOT NULL,
  job          uuid,
  UNIQUE (kind, job)
);
CREATE INDEX ledger_organization ON ledger (organization, at);

CREATE TABLE captures (
  id           text PRIMARY KEY,
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  pages        integer NOT NULL,
  expires_at   bigint NOT NULL
);
CREATE INDEX captures_expiry ON captures (expires_at);

-- Not logged: a window lives for a second, and losing it in a crash costs nothing.
CREATE UNLOGGED TABLE rate_windows (
  organization uuid PRIMARY KEY,
  opened_at    bigint NOT NULL,
  used         integer NOT NULL
) WITH (fillfactor = 50);
