-- A series of the tracker that has a sweep, an alert that it raised, and the delivery to a
-- channel that tells of it.

INSERT INTO series (organization, tracker, metric, brand, target, state) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 'visibility', 'Ollaro', 'searchaimode/US', '{"count":3}');

INSERT INTO alerts (organization, tracker, id, kind, subject, sweep, raised_at, content) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000d1', 'coverage', 'searchaimode/US', '0199c82c-c000-7000-8000-0000000000b1', 1760000001000, '{"summary":"half of it is missing"}');

INSERT INTO channels (organization, name, kind, settings, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'ops', 'webhook', '{"url":"https://receiver.example/a"}', 1760000000000, 1760000000000);

INSERT INTO alert_deliveries (organization, id, tracker, alert, channel) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000e1', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000d1', 'ops');

INSERT INTO deliveries (organization, job, origin, url) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000e1', 'channel://ops', 'channel://ops');
