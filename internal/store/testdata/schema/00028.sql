-- Work that failed once.

INSERT INTO tracker_work (organization, tracker, kind, wanted, lease, free_at, served_at, began_at, done, total, state, error) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 'analyse', 2, NULL, 1760000005000, 1760000004000, 1760000001000, 40, 100, '{"rules":1}', 'no space');
