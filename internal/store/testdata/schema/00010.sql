-- A closed sweep of the tracker and what it adds up to, alone and in a range of days; a
-- repeated sweep; what rules changed.

INSERT INTO sweeps (organization, tracker, id, slot, state, reason, version, month, due_at, started_at, ends_at, closed_at, planned, submitted, answered, missing, most, charged, pruned, repeats, facts) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000b2', 'manual b', 'closed', NULL, 1, '2026-10', 1760000000000, 1760000000000, 1760000002000, 1760000002000, 1, 1, 1, 0, 10, 0, 0, '0199c82c-c000-7000-8000-0000000000b1', '{}');

INSERT INTO answers (organization, tracker, id, sweep, prompt, target, sample, outcome, reason, asked_at, finished_at, charged, attempts) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000c2', '0199c82c-c000-7000-8000-0000000000b2', 1, 1, 1, 'answered', NULL, 1760000000000, 1760000001000, 0, 1);

INSERT INTO tallies (organization, tracker, rules, sweep, answers, weights, sums, cells) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, '0199c82c-c000-7000-8000-0000000000b2', 1, 7, unhex('0100'), unhex('28b52ffd04001100000100f1577fbf'));

INSERT INTO tally_spans (organization, tracker, rules, days, number, sweeps, cells) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, 8, 2546, unhex('0199c82cc000700080000000000000b2'), unhex('28b52ffd04001100000100f1577fbf'));

UPDATE tracker_rules SET report = '{"before":"r1"}' WHERE organization = '00000000-0000-7000-8000-00000000000c';
