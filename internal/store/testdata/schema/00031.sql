-- A counted sweep, and a tracker that keeps its numbers for three years.

INSERT INTO counted (organization, tracker, rules, sweep, answers, domains, urls) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, '0199c82c-c000-7000-8000-0000000000b2', 1, unhex('28b52ffd04001100000100f1577fbf'), NULL);

INSERT INTO cells (organization, tracker, rules, family, sweep, target, surface, answers, content) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, 0, '0199c82c-c000-7000-8000-0000000000b2', 1, 'lab', 1, unhex('0100'));

UPDATE trackers SET keep_numbers_days = 1095 WHERE organization = '00000000-0000-7000-8000-00000000000c';
