-- Rules of the tracker that has a sweep, by which an answer is analysed that came since.

INSERT INTO tracker_rules (organization, tracker, version, state, brands, code, created_at, finished_at, cursor, done) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, 'current', '[{"name":"Ollaro"}]', 1, 1760000000000, 1760000001000, '00000000-0000-0000-0000-000000000000', 1);

INSERT INTO analyses (organization, tracker, answer, rules, sweep, prompt, target, sample, outcome, surface, content) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000c1', 1, '0199c82c-c000-7000-8000-0000000000b1', 1, 1, 1, 'answered', 'lab', unhex('01000000'));
