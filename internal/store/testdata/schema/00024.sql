-- A day of the tracker that has a sweep, with a row in each view, and rows of an attempt that failed.

INSERT INTO export_days (organization, tracker, day, changes, written, version, shown) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20371, 2, 2, 3, 2);

INSERT INTO exported_mentions (organization, tracker, day, version, number, answer, sweep, asked_at, prompt_id, target, surface, via, rules, brand, name, kind, found_in, found_index, start_byte, end_byte, position, list_rank, domains) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20371, 2, 0, '0199c82c-c000-7000-8000-0000000000c1', '0199c82c-c000-7000-8000-0000000000b1', 1760000001000, 1, 'chatassistant/US', 'lab', NULL, 'v1', 'Ollaro', 'Ollaro', 'name', 'answer', 0, 4, 10, 1, NULL, '["ollaro.example"]'),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20371, 3, 0, '0199c82c-c000-7000-8000-0000000000c1', '0199c82c-c000-7000-8000-0000000000b1', 1760000001000, 1, 'chatassistant/US', 'lab', NULL, 'v1', 'Kestrin', 'Kestrin', 'name', 'answer', 0, 4, 10, 1, NULL, '[]');

INSERT INTO exported_citations (organization, tracker, day, version, number, answer, sweep, asked_at, prompt_id, target, surface, via, rules, url, domain, type, position) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20371, 2, 0, '0199c82c-c000-7000-8000-0000000000c1', '0199c82c-c000-7000-8000-0000000000b1', 1760000001000, 1, 'chatassistant/US', 'lab', NULL, 'v1', 'https://ollaro.example/', 'ollaro.example', 'own', 1);

INSERT INTO exported_metrics (organization, tracker, day, version, number, sweep, slot, due_at, rules, metric, brand, target, surface, value, numerator, denominator, answers, missing, rerun_low, rerun_high, made_up) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 20371, 2, 0, '0199c82c-c000-7000-8000-0000000000b1', '2025-10-09T08:00 UTC', 1760000000000, 'v1', 'visibility/m2', 'Ollaro', 'chatassistant/US', 'lab', 0.25, 1, 4, 4, 0, 0.125, 0.5, 1);
