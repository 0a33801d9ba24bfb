-- A tracker with a sweep that runs, one answer that came and one that is waited for.

INSERT INTO trackers (organization, id, name, state, version, definition, demo, keep_days, created_at, updated_at, next_slot, due_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 'shoes', 'active', 1, '{"prompts":["shoes"]}', 0, 400, 1760000000000, 1760000000000, '2026-11-15T06:00', 1794722400000);

INSERT INTO tracker_versions (organization, tracker, version, definition, applied_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, '{"prompts":["shoes"]}', 1760000000000);

INSERT INTO tracker_prompts (organization, tracker, id, active, name, definition) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, 1, 'shoes', '{"text":"shoes"}');

INSERT INTO tracker_targets (organization, tracker, id, active, name, definition) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 1, 1, 'searchaimode/US', '{"provider":"searchaimode","country":"US"}');

INSERT INTO sweeps (organization, tracker, id, slot, state, reason, version, month, due_at, started_at, ends_at, closed_at, planned, submitted, answered, missing, most, charged) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000b1', 'manual a', 'running', NULL, 1, '2026-10', 1760000000000, 1760000000000, 1760086400000, NULL, 2, 1, 0, 1, 10, 0);

INSERT INTO answers (organization, tracker, id, sweep, prompt, target, sample, outcome, reason, asked_at, finished_at, charged, attempts) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000c1', '0199c82c-c000-7000-8000-0000000000b1', 1, 1, 1, 'missing', 'blocked', 1760000000000, 1760000001000, 0, 5);

INSERT INTO followers (organization, event) VALUES ('00000000-0000-7000-8000-00000000000c', 0);
