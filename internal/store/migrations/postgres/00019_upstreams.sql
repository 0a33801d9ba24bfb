-- +goose Up

-- Questions that were submitted to vendors that answer later.
CREATE TABLE tickets (
  organization uuid NOT NULL,
  job          uuid NOT NULL,
  number       bigint NOT NULL,     -- counts the submissions of the job, from 1
  ticket_key   text NOT NULL,     -- sent to vendors that accept an idempotency key or a tag
  upstream     text NOT NULL,
  vendor_id    text NOT NULL,     -- empty until the vendor confirmed the submission
  state        text NOT NULL,     -- submitting, open, answered, failed, abandoned or uncertain
  submitted_at bigint NOT NULL,
  deadline     bigint NOT NULL,
  PRIMARY KEY (organization, job, number)
);
CREATE INDEX tickets_pending ON tickets (submitted_at) WHERE state IN ('submitting', 'open');

-- What each upstream was asked and what it charged the operator, by day. Kept forever.
CREATE TABLE upstream_usage (
  organization    uuid NOT NULL,
  day             bigint NOT NULL,  -- since 1970, UTC
  upstream        text NOT NULL,
  provider        text NOT NULL,
  answered        bigint NOT NULL,
  failed          bigint NOT NULL,
  charged_failed  bigint NOT NULL,  -- failures that the upstream charged
  micro_usd       bigint NOT NULL,  -- all charges
  estimated_usd   bigint NOT NULL,  -- micro-USD of these that the upstream did not report
  PRIMARY KEY (organization, day, upstream, provider)
) WITH (fillfactor = 70);

-- How long upstreams took, by hour. Kept for as long as the API shows it.
CREATE TABLE upstream_statistics (
  organization uuid NOT NULL,
  hour         bigint NOT NULL,     -- since 1970
  upstream     text NOT NULL,
  provider     text NOT NULL,
  ms           bigint NOT NULL,     -- rounded down
  answered     bigint NOT NULL,
  failed       bigint NOT NULL,
  PRIMARY KEY (organization, hour, upstream, provider, ms)
) WITH (fillfactor = 70);
