-- +goose Up

-- Views for other programs. Their names and columns do not change
-- (docs/exports.md). Tables may change with every version.
CREATE VIEW report_trackers AS
SELECT t.organization, o.name AS organization_name, t.id AS tracker, t.name, t.state, t.demo AS demo, t.version,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', t.updated_at / 1000.0, 'unixepoch') AS updated_at
FROM trackers t JOIN organizations o ON o.id = t.organization
WHERE t.state <> 'deleting';

CREATE VIEW report_sweeps AS
SELECT s.organization, s.tracker, t.name AS tracker_name, s.id AS sweep, s.slot, s.state, s.reason, s.repeats, s.version,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.due_at / 1000.0, 'unixepoch') AS due_at, strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', s.closed_at / 1000.0, 'unixepoch') AS closed_at,
  s.planned, s.answered, s.missing, s.charged AS credits
FROM sweeps s JOIN trackers t ON t.organization = s.organization AND t.id = s.tracker
WHERE t.state <> 'deleting';

CREATE VIEW report_answers AS
SELECT a.organization, a.tracker, t.name AS tracker_name, a.id AS answer, a.sweep, s.slot, a.prompt AS prompt_id, p.name AS prompt, g.name AS target,
  a.sample, a.outcome, a.reason, a.surface, a.model,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.asked_at / 1000.0, 'unixepoch') AS asked_at, strftime('%Y-%m-%dT%H:%M:%fZ', a.finished_at / 1000.0, 'unixepoch') AS finished_at, a.charged AS credits, a.attempts
FROM answers a
JOIN trackers t ON t.organization = a.organization AND t.id = a.tracker
JOIN sweeps s ON s.organization = a.organization AND s.tracker = a.tracker AND s.id = a.sweep
JOIN tracker_prompts p ON p.organization = a.organization AND p.tracker = a.tracker AND p.id = a.prompt
JOIN tracker_targets g ON g.organization = a.organization AND g.tracker = a.tracker AND g.id = a.target
WHERE t.state <> 'deleting';
