-- A pair that was answered and a pair that failed, of the organization with tasks.

INSERT INTO shadow_pairs (organization, at, job, number, provider, country, first_upstream, second_upstream, reason, domains, brands, organic, fields, first_ms, second_ms, first_micro_usd, second_micro_usd) VALUES
  ('00000000-0000-7000-8000-00000000000c', 1760000000000, '0199c82c-c7d0-7000-8000-0000000000ff', 1, 'chatassistant', 'US', 'via:cloro', 'api:openai', '', 500000, NULL, NULL, 750000, 40000, 9000, 2000, 3000),
  ('00000000-0000-7000-8000-00000000000c', 1760000001000, '0199c82c-c7d0-7000-8000-0000000000ff', 2, 'chatassistant', 'US', 'via:cloro', 'via:cloro', 'timeout', NULL, NULL, NULL, NULL, 40000, 600000, 2000, 0);
