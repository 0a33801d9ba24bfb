-- +goose Up

-- Paid requests to upstreams (ADR 38). A row is written before the request is sent, with the most that
-- it can cost, and is closed with what the upstream charged. Kept as long as the job's result.
CREATE TABLE purchases (
  organization TEXT NOT NULL,
  basket       TEXT NOT NULL,       -- the job, or the first of the jobs that repeat each other
  number       INTEGER NOT NULL,     -- counts the purchases of the basket, from 1
  job          TEXT NOT NULL,
  node         TEXT,                -- that sent it
  provider     TEXT NOT NULL,
  upstream     TEXT NOT NULL,
  item         TEXT NOT NULL,       -- equal requests have the same
  state        TEXT NOT NULL,       -- sent, open, late, answered, nothing, refused, blocked, failed or unknown
  order_key    TEXT NOT NULL,       -- sent to vendors that accept an idempotency key or a tag; empty unless it is an order
  vendor_id    TEXT NOT NULL,       -- empty until the vendor confirmed the order
  reserved     INTEGER NOT NULL,     -- in units of 1e-9 USD, like all amounts here
  charged      INTEGER NOT NULL,
  sent_at      INTEGER NOT NULL,
  deadline     INTEGER NOT NULL,     -- after it, the next upstream is asked
  look_at      INTEGER NOT NULL,     -- when a node looks at it again after its job has ended
  document     BLOB,               -- the answer, compressed
  PRIMARY KEY (organization, basket, number)
) WITHOUT ROWID;
CREATE INDEX purchases_pending ON purchases (look_at) WHERE state IN ('sent', 'open', 'late');
CREATE INDEX purchases_closed ON purchases (sent_at) WHERE state NOT IN ('sent', 'open', 'late');
CREATE INDEX retries_task ON retries (organization, task);

-- What is spent and reserved on each upstream, for its daily ceiling.
CREATE TABLE upstream_accounts (
  upstream TEXT NOT NULL,
  day      INTEGER NOT NULL,         -- since 1970, UTC
  booked   INTEGER NOT NULL,         -- on that day
  reserved INTEGER NOT NULL,         -- by purchases that are not closed, of any day
  PRIMARY KEY (upstream)
) WITHOUT ROWID;
INSERT INTO upstream_accounts (upstream, day, booked, reserved)
  SELECT upstream, day, SUM(micro_usd) * 1000, 0 FROM upstream_usage WHERE day = (SELECT MAX(day) FROM upstream_usage) GROUP BY upstream, day;

-- Charges since this migration. micro_usd and estimated_usd keep the ones before it.
ALTER TABLE upstream_usage ADD COLUMN nano_usd INTEGER NOT NULL DEFAULT 0;
ALTER TABLE upstream_usage ADD COLUMN estimated_nano_usd INTEGER NOT NULL DEFAULT 0;

-- Tickets become purchases. The table tickets stays for nodes of the release before.
INSERT INTO purchases (organization, basket, number, job, provider, upstream, item, state, order_key, vendor_id, reserved, charged, sent_at, deadline, look_at)
  SELECT t.organization, t.job, t.number, t.job,
    COALESCE((SELECT provider FROM jobs j WHERE j.organization = t.organization AND j.id = t.job),
      (SELECT provider FROM finished f WHERE f.organization = t.organization AND f.id = t.job), ''),
    t.upstream, 'order', CASE t.state WHEN 'submitting' THEN 'sent' WHEN 'answered' THEN 'open' WHEN 'open' THEN 'open' ELSE 'unknown' END,
    t.ticket_key, t.vendor_id, 0, 0, t.submitted_at, t.deadline, t.submitted_at
  FROM tickets t WHERE t.state <> 'failed';
