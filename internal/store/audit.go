package store

import (
	"context"
	"database/sql"
	"fmt"
)

// Finding is something that an audit found off: a stored value that is not what
// the rows add up to.
type Finding struct {
	Organization string `json:"organization"`
	What         string `json:"what"`
	Stored       int64  `json:"stored"`
	Actual       int64  `json:"actual"`
}

// audits are queries that each yield (organization, stored, actual) for what is
// off, and nothing when all is well.
var audits = []struct{ what, query string }{
	{"balance against the ledger's sum", `
		SELECT o.name, o.balance, COALESCE(l.sum, 0) FROM organizations o
		LEFT JOIN (SELECT organization, SUM(amount) AS sum FROM ledger GROUP BY organization) l ON l.organization = o.id
		WHERE o.balance <> COALESCE(l.sum, 0)`},
	{"held credits against running jobs", `
		SELECT o.name, o.held, COALESCE(j.held, 0) FROM organizations o
		LEFT JOIN (SELECT organization, SUM(most) AS held FROM jobs WHERE status = 'PROCESSING' GROUP BY organization) j ON j.organization = o.id
		WHERE o.held <> COALESCE(j.held, 0)`},
	{"running counter against running jobs", `
		SELECT o.name, o.running, COALESCE(j.n, 0) FROM organizations o
		LEFT JOIN (SELECT organization, COUNT(*) AS n FROM jobs WHERE status = 'PROCESSING' GROUP BY organization) j ON j.organization = o.id
		WHERE o.running <> COALESCE(j.n, 0)`},
	{"credits used in the cycle against its charges", `
		SELECT o.name, o.cycle_used, COALESCE(l.sum, 0) FROM organizations o
		LEFT JOIN (
			SELECT l.organization, -SUM(l.amount) AS sum FROM ledger l JOIN organizations c ON c.id = l.organization
			WHERE l.kind = 'charge' AND l.at >= c.cycle_started_at GROUP BY l.organization) l ON l.organization = o.id
		WHERE o.cycle_used <> COALESCE(l.sum, 0)`},
	{"charge of a finished job against its ledger entry", `
		SELECT o.name, f.charged, COALESCE(-l.amount, 0) FROM finished f
		JOIN organizations o ON o.id = f.organization
		LEFT JOIN ledger l ON l.job = f.id AND l.kind = 'charge'
		WHERE f.charged <> COALESCE(-l.amount, 0)
			OR (f.status = 'COMPLETED') <> (l.id IS NOT NULL)`},
	{"job both under way and finished", `
		SELECT o.name, 1, 0 FROM jobs j JOIN finished f ON f.id = j.id JOIN organizations o ON o.id = j.organization`},
}

// Audit recomputes every balance and counter from the rows, in one snapshot,
// and tells what is off.
func (s *Store) Audit(ctx context.Context) ([]Finding, error) {
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{Isolation: s.dialect.snapshot, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	var findings []Finding
	for _, a := range audits {
		found, err := audit(ctx, tx, a.what, a.query)
		if err != nil {
			return nil, fmt.Errorf("audit %s: %w", a.what, err)
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

func audit(ctx context.Context, tx *sql.Tx, what, query string) ([]Finding, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var findings []Finding
	for rows.Next() {
		f := Finding{What: what}
		if err := rows.Scan(&f.Organization, &f.Stored, &f.Actual); err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return findings, rows.Err()
}
