package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"earshot"
)

// LedgerKinds are the kinds of ledger entries.
func LedgerKinds() []string { return []string{kindGrant, kindCharge, kindLapse, kindAdjust} }

// LedgerFilter says which ledger entries to list, newest first.
type LedgerFilter struct {
	Kind   string // one of LedgerKinds; "" for all
	Before string // only entries older than this id; "" for all
	Limit  int
}

// Ledger lists ledger entries of an organization by their ids, the newest first. A
// charge has the id of its job, and so the place of the moment when that came in.
func (s *Store) Ledger(ctx context.Context, organization string, filter LedgerFilter) (entries []earshot.LedgerEntry, err error) {
	kind := `($3 = '' OR kind = $3)`
	if filter.Kind != "" && filter.Kind != kindCharge {
		kind = `kind <> 'charge' AND kind = $3` // the few that are no charges have an index of their own
	}
	err = s.find(ctx, func(r scanner) error {
		var e earshot.LedgerEntry
		var at int64
		err := r.Scan(&e.ID, &at, &e.Kind, &e.Credits, &e.TaskID, &e.Note)
		e.At = earshot.At(at)
		entries = append(entries, e)
		return err
	}, `
		SELECT l.id, l.at, l.kind, l.amount, CASE WHEN f.mode = 'async' THEN f.id END, f.provider FROM (
			SELECT id, at, kind, amount FROM ledger WHERE organization = $1 AND id < $2 AND `+kind+` ORDER BY id DESC LIMIT $4) AS l
		LEFT JOIN finished f ON f.organization = $1 AND f.id = l.id AND l.kind = 'charge'
		ORDER BY l.id DESC`, organization, cmp.Or(filter.Before, uuid.Max.String()), filter.Kind, filter.Limit)
	if err != nil {
		return nil, fmt.Errorf("list the ledger: %w", err)
	}
	return entries, nil
}
