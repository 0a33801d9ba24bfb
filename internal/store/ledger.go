package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// Kinds of ledger entries. Every change of a balance has one.
const (
	kindGrant  = string(earshot.LedgerGrant)  // credits of a cycle, or given by the operator
	kindCharge = string(earshot.LedgerCharge) // the price of a job
	kindLapse  = string(earshot.LedgerLapse)  // unused credits that expired at the end of a cycle
	kindAdjust = string(earshot.LedgerAdjust) // the operator's correction
)

// Grant adds credits to an organization and returns the updated organization. Unlike the
// monthly credits of a plan, these credits do not expire.
func (s *Store) Grant(id string, credits int64, now time.Time) (*account.Organization, error) {
	return s.change(id, now, func(w *Work, o *LockedOrganization) error {
		w.book(o, entry{kind: kindGrant, amount: credits, at: engine.Millis(now)})
		return nil
	})
}

// SetBalance sets an organization's balance. It fails if running jobs hold more than that.
func (s *Store) SetBalance(id string, credits int64, now time.Time) (*account.Organization, error) {
	return s.change(id, now, func(w *Work, o *LockedOrganization) error {
		if credits < o.Held {
			return fmt.Errorf("running jobs hold %d credits, so the balance cannot be set to %d now", o.Held, credits)
		}
		if credits != o.Balance {
			w.book(o, entry{kind: kindAdjust, amount: credits - o.Balance, at: engine.Millis(now)})
		}
		return nil
	})
}

// change changes one organization and returns its new state.
func (s *Store) change(id string, now time.Time, apply func(*Work, *LockedOrganization) error) (*account.Organization, error) {
	var after account.Organization
	err := s.Commit(Change{Organization: id, Apply: func(_ context.Context, w *Work) error {
		o, err := w.Organization(id, now)
		if err != nil {
			return err
		}
		err = apply(w, o)
		after = o.Organization
		return err
	}})
	if err != nil {
		return nil, err
	}
	return &after, nil
}

// renew begins an organization's next cycle: unused credits of the old grant expire, and the
// new grant is added. Cycles that passed without a call of renew leave no entries, since the
// grant of each would have expired in full.
func (w *Work) renew(o *LockedOrganization, now time.Time) {
	start, end := account.Cycle(time.UnixMilli(o.CreatedAt), now)
	if unused := o.Unused(); unused > 0 {
		w.book(o, entry{kind: kindLapse, amount: -unused, at: engine.Millis(now)})
	}
	o.CycleStartedAt, o.CycleResetsAt = engine.Millis(start), engine.Millis(end)
	o.CycleGrant, o.CycleUsed = o.Plan.CreditsPerCycle, 0
	w.book(o, entry{kind: kindGrant, amount: o.CycleGrant, at: engine.Millis(now)})
}

// entry is a row of the ledger. The charge of a job has no row as long as the finished job is
// kept: the finished job is the entry, so a charge is written only once. The row is inserted
// when the job is deleted.
type entry struct {
	id           string // of the charged job; "" for a new id
	organization string
	at           int64
	kind         string
	amount       int64
	tracker      string // of the charged job, or ""
}

var (
	ledgerTable = engine.NewTable("ledger",
		engine.Field("id", "uuid", func(e *entry) *string { return &e.id }),
		engine.Field("organization", "uuid", func(e *entry) *string { return &e.organization }),
		engine.IntField("at", func(e *entry) *int64 { return &e.at }),
		engine.TextField("kind", func(e *entry) *string { return &e.kind }),
		engine.IntField("amount", func(e *entry) *int64 { return &e.amount }),
		engine.NullField("tracker", "text", func(e *entry) *string { return &e.tracker }))
	insertEntries = ledgerTable.Insert("")
	// insertCharges inserts the charges of finished jobs before the jobs are deleted.
	insertCharges = engine.NewStatement(FinishedTable.Only("organization", "id"), func(in engine.Input) string {
		return `INSERT INTO ledger (` + ledgerColumns + `)
			SELECT ` + chargeColumns + ` FROM finished WHERE status = 'COMPLETED' AND ` + in.Matching() + ` ON CONFLICT DO NOTHING`
	})
)

const (
	ledgerColumns = `id, organization, at, kind, amount, tracker`
	// chargeColumns are the columns of finished that correspond to ledgerColumns.
	chargeColumns = `id, organization, finished_at, 'charge', -charged, tracker`
	// isCharge picks the finished jobs that serve as entries. Earlier versions inserted the entry
	// when the job ended.
	isCharge = `status = 'COMPLETED' AND NOT EXISTS (
		SELECT 1 FROM ledger l WHERE l.organization = finished.organization AND l.id = finished.id AND l.kind = 'charge')`
	// wholeLedger reads all entries.
	wholeLedger = `(SELECT ` + ledgerColumns + ` FROM ledger UNION ALL SELECT ` + chargeColumns + ` FROM finished WHERE ` + isCharge + `)`
)

// book changes a balance and adds the ledger entry for the change.
func (w *Work) book(o *LockedOrganization, e entry) {
	o.Balance += e.amount
	e.organization = o.ID
	w.addEntry(e)
}

// addEntry appends to the ledger.
func (w *Work) addEntry(e entry) {
	e.id = cmp.Or(e.id, NewID())
	w.entries = append(w.entries, &e)
}

// LedgerFilter selects the ledger entries to list.
type LedgerFilter struct {
	Kind   string // an earshot.LedgerKind; "" for all
	Before string // only entries with smaller ids; "" for all
	Limit  int
}

// Ledger lists ledger entries of an organization in descending order of their ids. A charge
// has the id of its job, so it is sorted by the creation of the job.
func (s *Store) Ledger(ctx context.Context, organization string, filter LedgerFilter) (entries []earshot.LedgerEntry, err error) {
	kind, charges := `($3 = '' OR kind = $3)`, ``
	if filter.Kind == "" || filter.Kind == kindCharge {
		charges = ` UNION ALL SELECT * FROM (
			SELECT ` + chargeColumns + ` FROM finished WHERE organization = $1 AND id < $2 AND ` + isCharge + ` ORDER BY id DESC LIMIT $4) AS charges`
	} else {
		kind = `kind <> 'charge' AND kind = $3` // there is a partial index on entries that are not charges
	}
	err = s.ShardOf(organization).Reports.Find(ctx, func(r engine.Scanner) error {
		var e entry
		var task, note *string
		err := r.Scan(append(ledgerTable.Targets(&e), &task, &note)...)
		entries = append(entries, earshot.LedgerEntry{ID: e.id, At: earshot.At(e.at), Kind: earshot.LedgerKind(e.kind), Credits: e.amount, TaskID: task, Note: note, Tracker: e.tracker})
		return err
	}, `
		SELECT `+ledgerTable.List+`, CASE WHEN f.mode = 'async' THEN f.id END, f.provider FROM (
			SELECT * FROM (SELECT `+ledgerTable.List+` FROM ledger WHERE organization = $1 AND id < $2 AND `+kind+` ORDER BY id DESC LIMIT $4) AS kept`+charges+`
		) AS ledger
		LEFT JOIN finished f ON f.organization = $1 AND f.id = ledger.id AND ledger.kind = 'charge'
		ORDER BY ledger.id DESC LIMIT $4`, organization, cmp.Or(filter.Before, uuid.Max.String()), filter.Kind, filter.Limit)
	return entries, engine.Wrap(err, "list the ledger")
}
