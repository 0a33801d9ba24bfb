-- A report of the tracker that has a sweep, the delivery to a channel that brings it, and a
-- day that is still to be exported.

INSERT INTO reports (organization, tracker, id, slot, made_at, content, document) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000f1', '2025-10-09T08:00 UTC', 1760000002000, '{"summary":["nothing moved"]}', unhex('28b52ffd04007100007b2268746d6c223a223c703e227de4bc4a24'));

INSERT INTO alert_deliveries (organization, id, tracker, alert, channel) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000f2', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000f1', 'ops');

INSERT INTO deliveries (organization, job, origin, url) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000f2', 'channel://ops', 'channel://ops');

INSERT INTO export_days (organization, tracker, day, changes) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20370, 2);
