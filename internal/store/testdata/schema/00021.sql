-- A review of the tracker that has a sweep, the answer in which it was found, and the sweep as
-- reviewed.

INSERT INTO reviews (organization, tracker, id, brand, kind, fact, expected, found, state, note, marked_at, marked_by, last_seen, judge_task, judge_month, judge_cost, opinion, opinion_reason, opinion_model) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-5000-8000-0000000000f1', 'Ollaro', 'fact', 'founded', '2004', '2003', 'wrong', 'told them', 1760000003000, 'key-1', 1760000001000, '0199c82c-c000-7000-8000-0000000000f7', '2025-10', 3, 'problem', 'the year is wrong', 'lab');

INSERT INTO review_findings (organization, tracker, answer, review, sweep, prompt, target, asked_at, content) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000c1', '0199c82c-c000-5000-8000-0000000000f1', '0199c82c-c000-7000-8000-0000000000b1', 1, 1, 1760000001000, '{"sentence":"Ollaro was founded in 2003.","matches":[{"reason":"year","start":22,"end":26}]}');

INSERT INTO reviewed_sweeps (organization, tracker, sweep, rules, version, code, facts, judged) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', '0199c82c-c000-7000-8000-0000000000b1', 1, 1, 1, 'none', 1);
