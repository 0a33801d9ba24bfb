-- A ticket that is open and what upstreams did for the organization with tasks.

INSERT INTO tickets (organization, job, number, ticket_key, upstream, vendor_id, state, submitted_at, deadline) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c7d0-7000-8000-0000000000ff', 1, 'job-1', 'via:cloro', 'vendor-7', 'open', 1760000000000, 1760000600000);

INSERT INTO upstream_usage (organization, day, upstream, provider, answered, failed, charged_failed, micro_usd, estimated_usd) VALUES
  ('00000000-0000-7000-8000-00000000000c', 20370, 'via:cloro', 'chatassistant', 3, 2, 1, 8000, 2000);

INSERT INTO upstream_statistics (organization, hour, upstream, provider, ms, answered, failed) VALUES
  ('00000000-0000-7000-8000-00000000000c', 488888, 'via:cloro', 'chatassistant', 40, 3, 2);
