-- +goose Up

-- Questions that were submitted to vendors that answer later.
CREATE TABLE tickets (
  organization TEXT NOT NULL,
  job          TEXT NOT NULL,
  number       INTEGER NOT NULL,     -- counts the submissions of the job, from 1
  ticket_key   TEXT NOT NULL,     -- sent to vendors that accept an idempotency key or a tag
  upstream     TEXT NOT NULL,
  vendor_id    TEXT NOT NULL,     -- empty until the vendor confirmed the submission
  state        TEXT NOT NULL,     -- submitting, open, answered, failed, abandoned or uncertain
  submitted_at INTEGER NOT NULL,
  deadline     INTEGER NOT NULL,
  PRIMARY KEY (organization, job, number)
) WITHOUT ROWID;
CREATE INDEX tickets_pending ON tickets (submitted_at) WHERE state IN ('submitting', 'open');

-- What each upstream was asked and what it charged the operator, by day. Kept forever.
CREATE TABLE upstream_usage (
  organization    TEXT NOT NULL,
  day             INTEGER NOT NULL,  -- since 1970, UTC
  upstream        TEXT NOT NULL,
  provider        TEXT NOT NULL,
  answered        INTEGER NOT NULL,
  failed          INTEGER NOT NULL,
  charged_failed  INTEGER NOT NULL,  -- failures that the upstream charged
  micro_usd       INTEGER NOT NULL,  -- all charges
  estimated_usd   INTEGER NOT NULL,  -- micro-USD of these that the upstream did not report
  PRIMARY KEY (organization, day, upstream, provider)
) WITHOUT ROWID;

-- How long upstreams took, by hour. Kept for as long as the API shows it.
CREATE TABLE upstream_statistics (
  organization TEXT NOT NULL,
  hour         INTEGER NOT NULL,     -- since 1970
  upstream     TEXT NOT NULL,
  provider     TEXT NOT NULL,
  ms           INTEGER NOT NULL,     -- rounded down
  answered     INTEGER NOT NULL,
  failed       INTEGER NOT NULL,
  PRIMARY KEY (organization, hour, upstream, provider, ms)
) WITHOUT ROWID;
