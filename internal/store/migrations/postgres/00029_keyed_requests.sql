-- +goose Up

-- Requests with an Idempotency-Key, and their responses. Calls and tasks have idempotency_keys.
CREATE TABLE keyed_requests (
  organization uuid NOT NULL,
  operation    text NOT NULL,   -- method and path pattern
  key          text NOT NULL,
  hash         bytea NOT NULL,  -- of the path and the body
  request      uuid NOT NULL,   -- X-Request-Id
  node         uuid,            -- that serves the request; NULL when it was served
  answer       bytea,           -- the response, compressed and encrypted; NULL until it is known
  created_at   bigint NOT NULL,
  PRIMARY KEY (organization, operation, key)
);
CREATE INDEX keyed_requests_age ON keyed_requests (created_at);
