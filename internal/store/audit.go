package store

import (
	"context"
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/store/engine"
)

// audits are queries that return (organization, stored, actual) for each wrong value. NOW is
// replaced by the database's clock and LEDGER by all ledger entries.
var audits = []struct{ what, query string }{
	{"balance against the ledger's sum", `
		SELECT o.name, o.balance, COALESCE(l.sum, 0) FROM organizations o
		LEFT JOIN (SELECT organization, SUM(amount) AS sum FROM LEDGER entries GROUP BY organization) l ON l.organization = o.id
		WHERE o.balance <> COALESCE(l.sum, 0)`},
	{"held credits against running jobs", `
		SELECT o.name, o.held, COALESCE(j.held, 0) FROM organizations o
		LEFT JOIN (SELECT organization, SUM(most) AS held FROM jobs WHERE status = 'PROCESSING' GROUP BY organization) j ON j.organization = o.id
		WHERE o.held <> COALESCE(j.held, 0)`},
	{"number of keys with a budget against the budgets", `
		SELECT o.name, o.key_budgets, COALESCE(b.n, 0) FROM organizations o
		LEFT JOIN (SELECT organization, COUNT(*) AS n FROM key_budgets GROUP BY organization) b ON b.organization = o.id
		WHERE o.key_budgets <> COALESCE(b.n, 0)`},
	{"held credits of a key's budget against its running jobs", `
		SELECT o.name, b.held, COALESCE(j.held, 0) FROM key_budgets b JOIN organizations o ON o.id = b.organization
		LEFT JOIN (SELECT organization, key_id, SUM(most) AS held FROM jobs WHERE status = 'PROCESSING' GROUP BY organization, key_id) j
			ON j.organization = b.organization AND j.key_id = b.key_id
		WHERE b.held <> COALESCE(j.held, 0)`},
	{"spent credits of a key's budget against its kept finished jobs", `
		SELECT o.name, b.day_used, f.charged FROM key_budgets b JOIN organizations o ON o.id = b.organization
		JOIN (SELECT organization, key_id, finished_at / 86400000 AS day, SUM(charged) AS charged FROM finished f
			WHERE finished_at > 60000 + (SELECT since FROM key_budgets k WHERE k.organization = f.organization AND k.key_id = f.key_id)
			GROUP BY organization, key_id, finished_at / 86400000) f
			ON f.organization = b.organization AND f.key_id = b.key_id AND f.day = b.day
		WHERE b.day_used < f.charged OR b.month_used < b.day_used`},
	{"running counter against running jobs", `
		SELECT o.name, o.running, COALESCE(j.n, 0) FROM organizations o
		LEFT JOIN (SELECT organization, COUNT(*) AS n FROM jobs WHERE status = 'PROCESSING' GROUP BY organization) j ON j.organization = o.id
		WHERE o.running <> COALESCE(j.n, 0)`},
	{"queued counter against queued tasks", `
		SELECT o.name, o.queued, COALESCE(j.n, 0) FROM organizations o
		LEFT JOIN (SELECT organization, COUNT(*) AS n FROM jobs WHERE status = 'QUEUED' GROUP BY organization) j ON j.organization = o.id
		WHERE o.queued <> COALESCE(j.n, 0)`},
	{"idempotency key against its task", `
		SELECT o.name, 1, 0 FROM idempotency_keys k JOIN organizations o ON o.id = k.organization
		WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.organization = k.organization AND j.id = k.job AND j.idempotency_key = k.key)
			AND NOT EXISTS (SELECT 1 FROM finished f WHERE f.organization = k.organization AND f.id = k.job AND f.idempotency_key = k.key)`},
	{"task with a key against the key", `
		SELECT o.name, 1, 0 FROM jobs j JOIN organizations o ON o.id = j.organization
		WHERE j.idempotency_key IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.organization = j.organization AND k.key = j.idempotency_key AND k.job = j.id)`},
	{"finished job with a key against the key", `
		SELECT o.name, 1, 0 FROM finished f JOIN organizations o ON o.id = f.organization
		WHERE f.idempotency_key IS NOT NULL AND NOT (f.mode = 'sync' AND f.status = 'FAILED')
			AND NOT EXISTS (SELECT 1 FROM retries r WHERE r.organization = f.organization AND r.job = f.id)
			AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.organization = f.organization AND k.key = f.idempotency_key AND k.job = f.id)`},
	{"idempotency key of a failed call", `
		SELECT o.name, 1, 0 FROM idempotency_keys k JOIN organizations o ON o.id = k.organization
		JOIN finished f ON f.organization = k.organization AND f.id = k.job
		WHERE f.mode = 'sync' AND f.status = 'FAILED'`},
	{"tasks ended against the last event", `
		SELECT o.name, o.events, f.last FROM organizations o
		JOIN (SELECT organization, MAX(event) AS last FROM finished GROUP BY organization) f ON f.organization = o.id
		WHERE f.last > o.events`},
	{"delivery against its task", `
		SELECT o.name, 1, 0 FROM deliveries d JOIN organizations o ON o.id = d.organization
		WHERE NOT EXISTS (SELECT 1 FROM finished f WHERE f.organization = d.organization AND f.id = d.job)
			AND NOT EXISTS (SELECT 1 FROM sweeps s WHERE s.organization = d.organization AND s.id = d.job)
			AND NOT EXISTS (SELECT 1 FROM alert_deliveries a WHERE a.organization = d.organization AND a.id = d.job)`},
	{"delivery to a channel against its alert or report", `
		SELECT o.name, 1, 0 FROM alert_deliveries d JOIN organizations o ON o.id = d.organization
		WHERE NOT EXISTS (SELECT 1 FROM alerts a WHERE a.organization = d.organization AND a.tracker = d.tracker AND a.id = d.alert)
				AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.organization = d.organization AND r.tracker = d.tracker AND r.id = d.alert)
			OR NOT EXISTS (SELECT 1 FROM deliveries w WHERE w.organization = d.organization AND w.job = d.id)`},
	{"sweeps processed by detectors against the kept sweeps", `
		SELECT o.name, t.steps, s.n FROM trackers t JOIN organizations o ON o.id = t.organization
		JOIN (SELECT organization, tracker, COUNT(*) AS n FROM sweeps WHERE stepped = 1 GROUP BY organization, tracker) s
			ON s.organization = t.organization AND s.tracker = t.id
		WHERE t.steps < s.n`},
	{"planned delivery whose receiver is not due in time", `
		SELECT o.name, 1, 0 FROM deliveries d JOIN organizations o ON o.id = d.organization
		LEFT JOIN receivers r ON r.organization = d.organization AND r.origin = d.origin
		WHERE d.due_at IS NOT NULL AND (r.due_at IS NULL OR r.due_at > d.due_at)`},
	{"task of a batch against the batch", `
		SELECT o.name, 1, 0 FROM batch_tasks t JOIN organizations o ON o.id = t.organization
		WHERE NOT EXISTS (SELECT 1 FROM batches b WHERE b.organization = t.organization AND b.id = t.batch)`},
	{"task of a batch against its job", `
		SELECT o.name, 1, 0 FROM batch_tasks t JOIN organizations o ON o.id = t.organization
		WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.organization = t.organization AND j.id = t.job)
			AND NOT EXISTS (SELECT 1 FROM finished f WHERE f.organization = t.organization AND f.id = t.job)`},
	{"tasks of a batch against its accepted tasks", `
		SELECT o.name, b.accepted, t.n FROM (SELECT organization, batch, COUNT(*) AS n FROM batch_tasks GROUP BY organization, batch) t
		JOIN batches b ON b.organization = t.organization AND b.id = t.batch
		JOIN organizations o ON o.id = b.organization
		WHERE t.n > b.accepted OR b.accepted > b.total`},
	{"retry against the job that failed", `
		SELECT o.name, 1, 0 FROM retries r JOIN organizations o ON o.id = r.organization
		WHERE NOT EXISTS (SELECT 1 FROM finished f WHERE f.organization = r.organization AND f.id = r.job AND f.status = 'FAILED')`},
	{"running job without a node", `
		SELECT o.name, 1, 0 FROM jobs j JOIN organizations o ON o.id = j.organization
		WHERE (j.status = 'PROCESSING') <> (j.node IS NOT NULL)`},
	{"credits used in the cycle against its charges", `
		SELECT o.name, o.cycle_used, COALESCE(l.sum, 0) FROM organizations o
		LEFT JOIN (
			SELECT l.organization, -SUM(l.amount) AS sum FROM LEDGER l JOIN organizations c ON c.id = l.organization
			WHERE l.kind = 'charge' AND l.at >= c.cycle_started_at GROUP BY l.organization) l ON l.organization = o.id
		WHERE o.cycle_used <> COALESCE(l.sum, 0)`},
	{"charge of a finished job against its ledger entry", `
		SELECT o.name, f.charged, -l.amount FROM finished f
		JOIN organizations o ON o.id = f.organization
		JOIN ledger l ON l.organization = f.organization AND l.id = f.id AND l.kind = 'charge'
		WHERE f.charged <> -l.amount OR f.status <> 'COMPLETED'`},
	{"charge of a failed job", `
		SELECT o.name, f.charged, 0 FROM finished f JOIN organizations o ON o.id = f.organization WHERE f.status <> 'COMPLETED' AND f.charged <> 0`},
	{"usage against the finished jobs that are kept", `
		SELECT o.name, COALESCE(u.completed + u.failed, 0), f.completed + f.failed FROM (
			SELECT organization, finished_at / 86400000 AS day, provider, SUM(charged) AS charged,
				SUM(CASE status WHEN 'COMPLETED' THEN 1 ELSE 0 END) AS completed, SUM(CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END) AS failed
			FROM finished GROUP BY organization, finished_at / 86400000, provider) f
		JOIN organizations o ON o.id = f.organization
		LEFT JOIN usage u ON u.organization = f.organization AND u.day = f.day AND u.provider = f.provider
		WHERE COALESCE(u.completed, 0) < f.completed OR COALESCE(u.failed, 0) < f.failed OR COALESCE(u.charged, 0) < f.charged`},
	{"usage against the ledger's charges", `
		SELECT o.name, u.charged, COALESCE(l.charged, 0) FROM (
			SELECT organization, SUM(completed) AS completed, SUM(charged) AS charged FROM usage GROUP BY organization) u
		JOIN organizations o ON o.id = u.organization
		LEFT JOIN (SELECT organization, COUNT(*) AS n, -SUM(amount) AS charged FROM LEDGER entries WHERE kind = 'charge' GROUP BY organization) l
			ON l.organization = u.organization
		WHERE u.completed > COALESCE(l.n, 0) OR u.charged > COALESCE(l.charged, 0)`},
	// Older statistics may be deleted already.
	{"statistics against the finished jobs of the last 24 hours", `
		SELECT o.name, COALESCE(s.jobs, 0), f.jobs FROM (
			SELECT organization, finished_at / 3600000 AS hour, provider, COUNT(*) AS jobs, SUM(CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END) AS failed
			FROM finished WHERE finished_at / 3600000 > NOW / 3600000 - 24 GROUP BY organization, finished_at / 3600000, provider) f
		JOIN organizations o ON o.id = f.organization
		LEFT JOIN (SELECT organization, hour, provider, SUM(jobs) AS jobs, SUM(failed) AS failed FROM statistics GROUP BY organization, hour, provider) s
			ON s.organization = f.organization AND s.hour = f.hour AND s.provider = f.provider
		WHERE COALESCE(s.jobs, 0) < f.jobs OR COALESCE(s.failed, 0) < f.failed`},
	// Some answers of older sweeps may be deleted already, and so may answers of sweeps with an
	// earlier version of the tracker, which may have kept answers for a shorter time.
	{"counters of a sweep against its answers", `
		SELECT o.name, s.submitted + s.answered + s.missing + s.charged, COALESCE(a.submitted + a.answered + a.missing + a.charged, 0) FROM sweeps s
		JOIN organizations o ON o.id = s.organization
		JOIN trackers t ON t.organization = s.organization AND t.id = s.tracker AND t.state <> 'deleting'
		LEFT JOIN (
			SELECT organization, tracker, sweep, COUNT(*) AS submitted, SUM(charged) AS charged,
				SUM(CASE WHEN outcome IN ('answered', 'refused') THEN 1 ELSE 0 END) AS answered, SUM(CASE outcome WHEN 'missing' THEN 1 ELSE 0 END) AS missing
			FROM answers GROUP BY organization, tracker, sweep) a ON a.organization = s.organization AND a.tracker = s.tracker AND a.sweep = s.id
		WHERE s.due_at > NOW - (t.keep_days - 1) * CAST(86400000 AS bigint)
			AND (s.version = t.version OR COALESCE(a.submitted, 0) >= s.submitted) AND (s.submitted <> COALESCE(a.submitted, 0) OR s.answered <> COALESCE(a.answered, 0)
			OR s.missing <> COALESCE(a.missing, 0) OR s.charged <> COALESCE(a.charged, 0))`},
	{"pending answer of a sweep that is not running", `
		SELECT o.name, 1, 0 FROM answers a JOIN organizations o ON o.id = a.organization
		JOIN sweeps s ON s.organization = a.organization AND s.tracker = a.tracker AND s.id = a.sweep
		WHERE a.outcome = 'pending' AND s.state <> 'running'`},
	{"charge of an answer against its ledger entry", `
		SELECT o.name, a.charged, COALESCE(-l.amount, 0) FROM answers a
		JOIN organizations o ON o.id = a.organization
		LEFT JOIN LEDGER l ON l.organization = a.organization AND l.id = a.id AND l.kind = 'charge'
		WHERE a.charged <> COALESCE(-l.amount, 0)`},
	{"number of answers of a result against the answers", `
		SELECT o.name, b.answers, COALESCE(a.n, 0) FROM bodies b JOIN organizations o ON o.id = b.organization
		LEFT JOIN (SELECT organization, body, COUNT(*) AS n FROM answers WHERE body IS NOT NULL GROUP BY organization, body) a
			ON a.organization = b.organization AND a.body = b.hash
		WHERE b.answers <> COALESCE(a.n, 0)`},
	{"tally against the answers of its sweep", `
		SELECT o.name, t.answers, COALESCE(s.answered, 0) FROM tallies t JOIN organizations o ON o.id = t.organization
		LEFT JOIN sweeps s ON s.organization = t.organization AND s.tracker = t.tracker AND s.id = t.sweep AND s.state = 'closed' AND s.pruned = 0
		WHERE t.answers <> COALESCE(s.answered, 0)`},
	{"answer without its result", `
		SELECT o.name, 1, 0 FROM answers a JOIN organizations o ON o.id = a.organization
		WHERE a.body IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bodies b WHERE b.organization = a.organization AND b.hash = a.body)`},
	{"running sweep whose tasks are not recorded", `
		SELECT o.name, 1, 0 FROM sweeps s JOIN organizations o ON o.id = s.organization
		WHERE s.state = 'running' AND NOT EXISTS (SELECT 1 FROM followers f WHERE f.organization = s.organization)`},
	{"job that is both in jobs and finished", `
		SELECT o.name, 1, 0 FROM jobs j JOIN finished f ON f.organization = j.organization AND f.id = j.id JOIN organizations o ON o.id = j.organization`},
}

// Audit recomputes every balance and counter, in one snapshot of each shard, and returns the
// differences.
func (s *Store) Audit(ctx context.Context) ([]earshot.BalanceFinding, error) {
	var findings []earshot.BalanceFinding
	for _, p := range s.Shards {
		found, err := auditShard(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

func auditShard(ctx context.Context, p *engine.Shard) (findings []earshot.BalanceFinding, err error) {
	err = p.Reports.WithoutLimit(ctx, func(now engine.Snapshot) error {
		for _, a := range audits {
			err := now.Find(ctx, func(r engine.Scanner) error {
				f := earshot.BalanceFinding{What: a.what}
				err := r.Scan(&f.Organization, &f.Stored, &f.Actual)
				findings = append(findings, f)
				return err
			}, strings.NewReplacer("NOW", p.Dialect.Now, "LEDGER", wholeLedger).Replace(a.query))
			if err != nil {
				return fmt.Errorf("%s: %w", a.what, err)
			}
		}
		return nil
	})
	return findings, err
}
