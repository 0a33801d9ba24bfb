-- A paid request that is under way, and what is spent and reserved on its upstream.

INSERT INTO purchases (organization, basket, number, job, provider, upstream, item, state, order_key, vendor_id, reserved, charged, sent_at, deadline, look_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c7d0-7000-8000-0000000000fe', 1, '0199c82c-c7d0-7000-8000-0000000000fe', 'chatassistant', 'via:cloro', 'order', 'open', 'job-2', 'vendor-8', 2000000, 0, 1760000000000, 1760000600000, 1760000000000);

INSERT INTO upstream_accounts (upstream, day, booked, reserved) VALUES ('via:brightdata', 20370, 8000000, 2000000);

UPDATE upstream_usage SET nano_usd = 1500, estimated_nano_usd = 500 WHERE upstream = 'via:cloro';
