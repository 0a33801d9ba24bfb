-- +goose Up

-- Paid requests to upstreams (ADR 38). A row is written before the request is sent, with the most that
-- it can cost, and is closed with what the upstream charged. Kept as long as the job's result.
CREATE TABLE purchases (
  organization uuid NOT NULL,
  basket       uuid NOT NULL,       -- the job, or the first of the jobs that repeat each other
  number       bigint NOT NULL,     -- counts the purchases of the basket, from 1
  job          uuid NOT NULL,
  node         uuid,                -- that sent it
  provider     text NOT NULL,
  upstream     text NOT NULL,
  item         text NOT NULL,       -- equal requests have the same
  state        text NOT NULL,       -- sent, open, late, answered, nothing, refused, blocked, failed or unknown
  order_key    text NOT NULL,       -- sent to vendors that accept an idempotency key or a tag; empty unless it is an order
  vendor_id    text NOT NULL,       -- empty until the vendor confirmed the order
  reserved     bigint NOT NULL,     -- in units of 1e-9 USD, like all amounts here
  charged      bigint NOT NULL,
  sent_at      bigint NOT NULL,
  deadline     bigint NOT NULL,     -- after it, the next upstream is asked
  look_at      bigint NOT NULL,     -- when a node looks at it again after its job has ended
  document     bytea,               -- the answer, compressed
  PRIMARY KEY (organization, basket, number)
);
CREATE INDEX purchases_pending ON purchases (look_at) WHERE state IN ('sent', 'open', 'late');
CREATE INDEX purchases_closed ON purchases (sent_at) WHERE state NOT IN ('sent', 'open', 'late');
CREATE INDEX retries_task ON retries (organization, task);

-- What is spent and reserved on each upstream, for its daily ceiling.
CREATE TABLE upstream_accounts (
  upstream text NOT NULL,
  day      bigint NOT NULL,         -- since 1970, UTC
  booked   bigint NOT NULL,         -- on that day
  reserved bigint NOT NULL,         -- by purchases that are not closed, of any day
  PRIMARY KEY (upstream)
);
INSERT INTO upstream_accounts (upstream, day, booked, reserved)
  SELECT upstream, day, SUM(micro_usd) * 1000, 0 FROM upstream_usage WHERE day = (SELECT MAX(day) FROM upstream_usage) GROUP BY upstream, day;

-- Charges since this migration. micro_usd and estimated_usd keep the ones before it.
ALTER TABLE upstream_usage ADD COLUMN nano_usd bigint NOT NULL DEFAULT 0;
ALTER TABLE upstream_usage ADD COLUMN estimated_nano_usd bigint NOT NULL DEFAULT 0;

-- Tickets become purchases. The table tickets stays for nodes of the release before.
INSERT INTO purchases (organization, basket, number, job, provider, upstream, item, state, order_key, vendor_id, reserved, charged, sent_at, deadline, look_at)
  SELECT t.organization, t.job, t.number, t.job,
    COALESCE((SELECT provider FROM jobs j WHERE j.organization = t.organization AND j.id = t.job),
      (SELECT provider FROM finished f WHERE f.organization = t.organization AND f.id = t.job), ''),
    t.upstream, 'order', CASE t.state WHEN 'submitting' THEN 'sent' WHEN 'answered' THEN 'open' WHEN 'open' THEN 'open' ELSE 'unknown' END,
    t.ticket_key, t.vendor_id, 0, 0, t.submitted_at, t.deadline, t.submitted_at
  FROM tickets t WHERE t.state <> 'failed';
