-- Rows as the first schema kept them: an organization with a call under way, one
-- that succeeded and one that failed, and an organization that did nothing.

INSERT INTO organizations (id, name, plan, slots, requests_per_second, queue_capacity, credits_per_cycle, webhook_secret, created_at,
  running, balance, held, cycle_started_at, cycle_resets_at, cycle_grant, cycle_used) VALUES
  ('00000000-0000-7000-8000-00000000000a', 'calls', 'hobby', 5, 10, 100, 1000, 'whsec_calls', 1760000000000,
    1, 960, 7, 1760000000000, 1762678400000, 1000, 40),
  ('00000000-0000-7000-8000-00000000000b', 'nothing', 'hobby', 5, 10, 100, 1000, 'whsec_nothing', 1760000000000,
    0, 500, 0, 1760000000000, 1762678400000, 500, 0);

INSERT INTO api_keys (id, organization, hash, scopes, created_at, expires_at, revoked_at, last_used_at) VALUES
  ('aaaaaaaaaaaaaaaa', '00000000-0000-7000-8000-00000000000a', unhex('66391cc68e90766d161a3eb03f60c02d4ddebf2cfb8ea47e31b82cb746236736'), 'read,monitor',
    1760000000000, NULL, NULL, 1760000060000),
  ('bbbbbbbbbbbbbbbb', '00000000-0000-7000-8000-00000000000a', unhex('00'), 'read', 1760000000001, 1760000000002, 1760000000003, NULL);

INSERT INTO nodes (id, host, started_at, seen_at) VALUES ('00000000-0000-7000-8000-0000000000ff', 'first', 1760000000000, 1760000000000);

INSERT INTO jobs (id, organization, key_id, provider, mode, status, request, most, node, created_at, started_at) VALUES
  ('0199c82c-c7d0-7000-8000-000000000003', '00000000-0000-7000-8000-00000000000a', 'aaaaaaaaaaaaaaaa', 'chatassistant', 'sync', 'PROCESSING',
    '{"prompt":"three"}', 7, '00000000-0000-7000-8000-0000000000ff', 1760000002000, 1760000002000);

INSERT INTO finished (id, organization, key_id, provider, mode, status, request, charged, attempts, node, created_at, started_at, finished_at, error) VALUES
  ('0199c82c-c000-7000-8000-000000000001', '00000000-0000-7000-8000-00000000000a', 'aaaaaaaaaaaaaaaa', 'chatassistant', 'sync', 'COMPLETED',
    '{"prompt":"one"}', 40, 1, '00000000-0000-7000-8000-0000000000ff', 1760000000000, 1760000000000, 1760000000500, NULL),
  ('0199c82c-c3e8-7000-8000-000000000002', '00000000-0000-7000-8000-00000000000a', 'aaaaaaaaaaaaaaaa', 'websearch', 'sync', 'FAILED',
    '{"prompt":"two"}', 0, 3, '00000000-0000-7000-8000-0000000000ff', 1760000001000, 1760000001000, 1760000001500,
    '{"code":"EXTERNAL_SERVICE_ERROR","message":"it did not answer"}');

INSERT INTO ledger (id, organization, at, kind, amount, job) VALUES
  ('0199c82c-c000-7000-8000-0000000000a1', '00000000-0000-7000-8000-00000000000a', 1760000000000, 'grant', 1000, NULL),
  ('0199c82c-c000-7000-8000-0000000000a2', '00000000-0000-7000-8000-00000000000a', 1760000000500, 'charge', -40,
    '0199c82c-c000-7000-8000-000000000001'),
  ('0199c82c-c000-7000-8000-0000000000b1', '00000000-0000-7000-8000-00000000000b', 1760000000000, 'grant', 500, NULL);

INSERT INTO captures (id, organization, job, pages, expires_at) VALUES
  ('capture-one', '00000000-0000-7000-8000-00000000000a', '0199c82c-c000-7000-8000-000000000001', 2, 4102444800000);
