-- A request that was served, and one that a node was serving.

INSERT INTO keyed_requests (organization, operation, key, hash, request, node, answer, created_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'POST /v1/keys', 'first', 'hash', '0199c82c-c000-7000-8000-0000000000d1', NULL, 'answer', 1760000001000),
  ('00000000-0000-7000-8000-00000000000c', 'POST /v1/webhooks/test', 'second', 'hash', '0199c82c-c000-7000-8000-0000000000d2', '00000000-0000-7000-8000-0000000000ff', NULL, 1760000002000);
