-- Tasks: queued, running and ended ones, with their keys, webhooks and usage.

INSERT INTO organizations (id, name, plan, slots, requests_per_second, queue_capacity, credits_per_cycle, webhook_secret,
  webhook_secret_before, webhook_secret_rotated_at, created_at, running, queued, balance, held, events, served_at,
  cycle_started_at, cycle_resets_at, cycle_grant, cycle_used) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'tasks', 'hobby', 5, 10, 100, 1000, 'whsec_new',
    'whsec_old', 1760000000000, 1760000000000, 1, 2, 970, 5, 2, 1760000003000,
    1760000000000, 1762678400000, 1000, 30);

INSERT INTO jobs (organization, id, key_id, provider, mode, status, request, most, node, created_at, started_at, attempts, priority,
  idempotency_key, webhook_url) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c7d0-7000-8000-000000000013', 'cccccccccccccccc', 'chatassistant', 'async', 'PROCESSING',
    '{"prompt":"running"}', 5, '00000000-0000-7000-8000-0000000000ff', 1760000002000, 1760000003000, 2, 1, NULL, NULL),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c7d0-7000-8000-000000000014', 'cccccccccccccccc', 'chatassistant', 'async', 'QUEUED',
    '{"prompt":"queued"}', 5, NULL, 1760000002000, NULL, 0, 1, NULL, NULL),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c7d0-7000-8000-000000000015', 'cccccccccccccccc', 'websearch', 'async', 'QUEUED',
    '{"prompt":"urgent"}', 5, NULL, 1760000002000, NULL, 0, 9, 'key-of-the-urgent', 'https://hooks.example.com/in');

INSERT INTO finished (organization, id, key_id, provider, mode, status, request, charged, attempts, node, created_at, started_at, finished_at,
  error, most, priority, idempotency_key, event, result) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-000000000011', 'cccccccccccccccc', 'chatassistant', 'async', 'COMPLETED',
    '{"prompt":"done"}', 30, 1, '00000000-0000-7000-8000-0000000000ff', 1760000000000, 1760000000100, 1760000000500,
    NULL, 35, 1, 'key-of-the-done', 1,
    unhex('28b52ffd04001101007b2274657874223a22616e20616e73776572207468617420776173206b657074227dbc1e81fb')),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c3e8-7000-8000-000000000012', 'cccccccccccccccc', 'websearch', 'async', 'FAILED',
    '{"prompt":"unpaid"}', 0, 0, NULL, 1760000001000, NULL, 1760000001500,
    '{"code":"INSUFFICIENT_CREDITS","message":"nothing was left"}', 5, 2, NULL, 2, NULL);

INSERT INTO idempotency_keys (organization, key, job) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'key-of-the-done', '0199c82c-c000-7000-8000-000000000011'),
  ('00000000-0000-7000-8000-00000000000c', 'key-of-the-urgent', '0199c82c-c7d0-7000-8000-000000000015');

INSERT INTO ledger (organization, id, at, kind, amount) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000c1', 1760000000000, 'grant', 1015),
  ('00000000-0000-7000-8000-00000000000c', '0199c239-4400-7000-8000-000000000017', 1759900000000, 'charge', -5),
  ('00000000-0000-7000-8000-00000000000c', '0199c239-4400-7000-8000-000000000018', 1759900000000, 'charge', -5),
  ('00000000-0000-7000-8000-00000000000c', '0199c239-4400-7000-8000-000000000019', 1759900000000, 'charge', -5),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-000000000011', 1760000000500, 'charge', -30);

INSERT INTO usage (organization, day, provider, completed, failed, charged) VALUES
  ('00000000-0000-7000-8000-00000000000c', 20369, 'chatassistant', 3, 1, 15);

INSERT INTO receivers (organization, origin, due_at, leased_until) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'https://hooks.example.com', 1760000031500, 0);

INSERT INTO deliveries (organization, job, origin, url, due_at, series, attempts, delivered_at, log) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-000000000011', 'https://hooks.example.com', 'https://hooks.example.com/in',
    NULL, 1, 1, 1760000000600, '[{"at":"2025-10-09T08:53:20.500Z","status":204,"ms":100}]'),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c3e8-7000-8000-000000000012', 'https://hooks.example.com', 'https://hooks.example.com/in',
    1760000031500, 1, 1, NULL, '[{"at":"2025-10-09T08:53:21.500Z","error":"it hung up","ms":7}]');
