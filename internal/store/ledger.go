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

// Kinds of ledger entries. Every change of a balance is one.
const (
	kindGrant  = string(earshot.LedgerGrant)  // credits of a cycle, or given by the operator
	kindCharge = string(earshot.LedgerCharge) // the price of a job
	kindLapse  = string(earshot.LedgerLapse)  // what was unused at a cycle's end
	kindAdjust = string(earshot.LedgerAdjust) // the operator's correction
)

// Grant gives an organization credits beyond those of its cycle, and returns
// it as it is then. They do not lapse.
func (s *Store) Grant(id string, credits int64, now time.Time) (*account.Organization, error) {
	return s.change(id, now, func(w *Work, o *LockedOrganization) error {
		w.book(o, entry{kind: kindGrant, amount: credits, at: engine.Millis(now)})
		return nil
	})
}

// SetBalance corrects an organization's balance to credits. It fails when
// running jobs hold more than that.
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

// change changes one organization and returns it as it is then.
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

// renew ends an organization's cycle: what is unused of its grant lapses, and
// the next grant comes. Cycles that passed unseen leave no trace, since each
// would have granted and lapsed the same.
func (w *Work) renew(o *LockedOrganization, now time.Time) {
	start, end := account.Cycle(time.UnixMilli(o.CreatedAt), now)
	if unused := o.Unused(); unused > 0 {
		w.book(o, entry{kind: kindLapse, amount: -unused, at: engine.Millis(now)})
	}
	o.CycleStartedAt, o.CycleResetsAt = engine.Millis(start), engine.Millis(end)
	o.CycleGrant, o.CycleUsed = o.Plan.CreditsPerCycle, 0
	w.book(o, entry{kind: kindGrant, amount: o.CycleGrant, at: engine.Millis(now)})
}

// entry is a line of the ledger. That of a job that is charged is the finished job itself,
// as long as it is kept: so a charge is written once. When the job is forgotten, it goes into
// the table.
type entry struct {
	id           string // that of the job that is charged; "" for a new one
	organization string
	at           int64
	kind         string
	amount       int64
	tracker      string // that the job was asked for; "" for none
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
	// keepCharges enters the charges of finished jobs that are about to be forgotten.
	keepCharges = engine.NewStatement(FinishedTable.Only("organization", "id"), func(in engine.Input) string {
		return `INSERT INTO ledger (` + ledgerColumns + `)
			SELECT ` + chargeColumns + ` FROM finished WHERE status = 'COMPLETED' AND ` + in.Matching() + ` ON CONFLICT DO NOTHING`
	})
)

const (
	ledgerColumns = `id, organization, at, kind, amount, tracker`
	// chargeColumns are those of the entry that a finished job is.
	chargeColumns = `id, organization, finished_at, 'charge', -charged, tracker`
	// isCharge picks the finished jobs that are entries. Earlier versions wrote the entry of
	// a job at once.
	isCharge = `status = 'COMPLETED' AND NOT EXISTS (
		SELECT 1 FROM ledger l WHERE l.organization = finished.organization AND l.id = finished.id AND l.kind = 'charge')`
	// wholeLedger are all entries.
	wholeLedger = `(SELECT ` + ledgerColumns + ` FROM ledger UNION ALL SELECT ` + chargeColumns + ` FROM finished WHERE ` + isCharge + `)`
)

// book changes a balance and notes the entry that says so.
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

// LedgerFilter says which ledger entries to list, newest first.
type LedgerFilter struct {
	Kind   string // an earshot.LedgerKind; "" for all
	Before string // only entries older than this id; "" for all
	Limit  int
}

// Ledger lists ledger entries of an organization by their ids, the newest first. A
// charge has the id of its job, and so the place of the moment when that came in.
func (s *Store) Ledger(ctx context.Context, organization string, filter LedgerFilter) (entries []earshot.LedgerEntry, err error) {
	kind, charges := `($3 = '' OR kind = $3)`, ``
	if filter.Kind == "" || filter.Kind == kindCharge {
		charges = ` UNION ALL SELECT * FROM (
			SELECT ` + chargeColumns + ` FROM finished WHERE organization = $1 AND id < $2 AND ` + isCharge + ` ORDER BY id DESC LIMIT $4) AS charges`
	} else {
		kind = `kind <> 'charge' AND kind = $3` // the few that are no charges have an index of their own
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
	if err != nil {
		return nil, fmt.Errorf("list the ledger: %w", err)
	}
	return entries, nil
}
