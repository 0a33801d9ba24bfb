-- Prompts whose answers named a brand in the last closed sweep but one, and no longer in the last.
WITH sweeps AS (
  SELECT tracker, sweep, ROW_NUMBER() OVER (PARTITION BY tracker ORDER BY due_at DESC) AS age
  FROM report_sweeps
  WHERE state = 'closed'
),
named AS (
  SELECT DISTINCT m.tracker, m.tracker_name, s.age, m.prompt_id, m.target, m.brand
  FROM report_mentions m JOIN sweeps s ON s.tracker = m.tracker AND s.sweep = m.sweep
  WHERE s.age <= 2 AND m.kind <> 'absent'
)
SELECT DISTINCT n.tracker, n.tracker_name, n.brand, a.prompt, n.target
FROM named n
JOIN sweeps s ON s.tracker = n.tracker AND s.age = 1
JOIN report_answers a ON a.tracker = n.tracker AND a.sweep = s.sweep AND a.prompt_id = n.prompt_id AND a.target = n.target
WHERE n.age = 2 AND a.outcome = 'answered' AND NOT EXISTS (
  SELECT 1 FROM named l
  WHERE l.age = 1 AND l.tracker = n.tracker AND l.prompt_id = n.prompt_id AND l.target = n.target AND l.brand = n.brand
)
ORDER BY n.tracker_name, n.brand, a.prompt, n.target
