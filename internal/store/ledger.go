package store

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// renew begins an organization's next cycle: unused credits of the old grant expire, and the
// new grant is added. Cycles that passed without a call of renew leave no entries, since the
// grant of each would have expired in full.
func (w *Work) renew(o *LockedOrganization, now time.Time) {
	start, end := account.Cycle(time.UnixMilli(o.CreatedAt), now)
	if unused := o.Unused(); unused > 0 {
		w.Book(o, Entry{Kind: earshot.LedgerLapse, Amount: -unused, At: engine.Millis(now)})
	}
	o.CycleStartedAt, o.CycleResetsAt = engine.Millis(start), engine.Millis(end)
	o.CycleGrant, o.CycleUsed = o.Plan.CreditsPerCycle, 0
	w.Book(o, Entry{Kind: earshot.LedgerGrant, Amount: o.CycleGrant, At: engine.Millis(now)})
}

// Entry is a row of the ledger. Every change of a balance has one. The charge of a job has no
// row as long as the finished job is kept: the finished job is the entry, so a charge is written
// only once. The row is inserted when the job is deleted.
type Entry struct {
	ID           string // of the charged job; "" for a new id
	Organization string
	At           int64
	Kind         earshot.LedgerKind
	Amount       int64
	Tracker      string // of the charged job, or ""
}

var (
	ledgerTable = engine.NewTable("ledger",
		engine.Field("id", "uuid", func(e *Entry) *string { return &e.ID }),
		engine.Field("organization", "uuid", func(e *Entry) *string { return &e.Organization }),
		engine.IntField("at", func(e *Entry) *int64 { return &e.At }),
		engine.TextField("kind", func(e *Entry) *earshot.LedgerKind { return &e.Kind }),
		engine.IntField("amount", func(e *Entry) *int64 { return &e.Amount }),
		engine.NullField("tracker", "text", func(e *Entry) *string { return &e.Tracker }))
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

// Book changes a balance and adds the ledger entry for the change.
func (w *Work) Book(o *LockedOrganization, e Entry) {
	o.Balance += e.Amount
	e.Organization = o.ID
	w.AddEntry(e)
}

// AddEntry appends to the ledger.
func (w *Work) AddEntry(e Entry) {
	e.ID = cmp.Or(e.ID, NewID())
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
	if filter.Kind == "" || filter.Kind == string(earshot.LedgerCharge) {
		charges = ` UNION ALL SELECT * FROM (
			SELECT ` + chargeColumns + ` FROM finished WHERE organization = $1 AND id < $2 AND ` + isCharge + ` ORDER BY id DESC LIMIT $4) AS charges`
	} else {
		kind = `kind <> 'charge' AND kind = $3` // there is a partial index on entries that are not charges
	}
	err = s.ShardOf(organization).Reports.Find(ctx, func(r engine.Scanner) error {
		var e Entry
		var task, note *string
		err := r.Scan(append(ledgerTable.Targets(&e), &task, &note)...)
		entries = append(entries, earshot.LedgerEntry{ID: e.ID, At: earshot.At(e.At), Kind: e.Kind, Credits: e.Amount, TaskID: task, Note: note, Tracker: e.Tracker})
		return err
	}, `
		SELECT `+ledgerTable.List+`, CASE WHEN f.mode = 'async' THEN f.id END, f.provider FROM (
			SELECT * FROM (SELECT `+ledgerTable.List+` FROM ledger WHERE organization = $1 AND id < $2 AND `+kind+` ORDER BY id DESC LIMIT $4) AS kept`+charges+`
		) AS ledger
		LEFT JOIN finished f ON f.organization = $1 AND f.id = ledger.id AND ledger.kind = 'charge'
		ORDER BY ledger.id DESC LIMIT $4`, organization, cmp.Or(filter.Before, uuid.Max.String()), filter.Kind, filter.Limit)
	return entries, engine.Wrap(err, "list the ledger")
}
