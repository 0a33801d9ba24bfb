-- Statistics of an hour, of jobs that are no longer kept.

INSERT INTO statistics (organization, hour, provider, ms, jobs, failed) VALUES
  ('00000000-0000-7000-8000-00000000000c', 488887, 'searchaimode', -1, 2, 2),
  ('00000000-0000-7000-8000-00000000000c', 488887, 'searchaimode', 1500, 3, 1);
