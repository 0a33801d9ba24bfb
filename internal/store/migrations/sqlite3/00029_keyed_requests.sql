-- +goose Up

-- Requests with an Idempotency-Key, and their responses. Calls and tasks have idempotency_keys.
CREATE TABLE keyed_requests (
  organization TEXT NOT NULL,
  operation    TEXT NOT NULL,    -- method and path pattern
  key          TEXT NOT NULL,
  hash         BLOB NOT NULL,    -- of the path and the body
  request      TEXT NOT NULL,    -- X-Request-Id
  node         TEXT,             -- that serves the request; NULL when it was served
  answer       BLOB,             -- the response, compressed and encrypted; NULL until it is known
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (organization, operation, key)
) WITHOUT ROWID;
CREATE INDEX keyed_requests_age ON keyed_requests (created_at);
