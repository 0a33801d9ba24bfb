package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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
	Of     string // only charges of the tasks of this batch or sweep; "" for all
	Before string // only entries with smaller ids; "" for all
	Limit  int
}

// Ledger lists ledger entries of an organization in descending order of their ids. A charge
// has the id of its job, so it is sorted by the creation of the job.
func (s *Store) Ledger(ctx context.Context, organization string, filter LedgerFilter) ([]earshot.LedgerEntry, error) {
	from := s.ShardOf(organization).Reports
	if filter.Of == "" {
		return findEntries(ctx, from, organization, filter, "")
	}
	of, err := CanonicalID(filter.Of)
	if err != nil {
		return nil, err
	}
	const tasks = `SELECT job FROM batch_tasks WHERE organization = $1 AND batch = $5
		UNION ALL SELECT a.id FROM trackers t CROSS JOIN answers a WHERE t.organization = $1 AND a.organization = $1 AND a.tracker = t.id AND a.sweep = $5`
	// The bounds keep the database from reading all newer entries.
	return findEntries(ctx, from, organization, filter, `id IN (`+tasks+`)
		AND id >= (`+tasks+` ORDER BY job LIMIT 1) AND id <= (`+tasks+` ORDER BY job DESC LIMIT 1)`, of)
}

// findEntries lists ledger entries. The condition only may use the columns of TABLE, which is
// replaced by the table that is read, and args from $5 on.
func findEntries(ctx context.Context, from engine.Querier, organization string, filter LedgerFilter, only string, args ...any) (entries []earshot.LedgerEntry, err error) {
	kind, charges := `($3 = '' OR kind = $3)`, ``
	if only != "" {
		only = ` AND ` + only
	}
	where := func(table string) string {
		return ` WHERE organization = $1 AND id < $2` + strings.ReplaceAll(only, "TABLE", table) + ` AND `
	}
	if filter.Kind == "" || filter.Kind == string(earshot.LedgerCharge) {
		charges = ` UNION ALL SELECT * FROM (
			SELECT ` + chargeColumns + ` FROM finished` + where("finished") + isCharge + ` ORDER BY id DESC LIMIT $4) AS charges`
	} else {
		kind = `kind <> 'charge' AND kind = $3` // there is a partial index on entries that are not charges
	}
	err = from.Find(ctx, func(r engine.Scanner) error {
		var e Entry
		var task, note, key *string
		err := r.Scan(append(ledgerTable.Targets(&e), &task, &note, &key)...)
		entry := earshot.LedgerEntry{ID: e.ID, At: earshot.At(e.At), Kind: e.Kind, Credits: e.Amount, TaskID: task, Note: note, Tracker: e.Tracker}
		if key != nil {
			entry.KeyID = *key
		}
		entries = append(entries, entry)
		return err
	}, `
		SELECT `+ledgerTable.List+`, CASE WHEN f.mode = 'async' THEN f.id END, f.provider, f.key_id FROM (
			SELECT * FROM (SELECT `+ledgerTable.List+` FROM ledger`+where("ledger")+kind+` ORDER BY id DESC LIMIT $4) AS kept`+charges+`
		) AS ledger
		LEFT JOIN finished f ON f.organization = $1 AND f.id = ledger.id AND ledger.kind = 'charge'
		ORDER BY ledger.id DESC LIMIT $4`, append([]any{organization, cmp.Or(filter.Before, uuid.Max.String()), filter.Kind, filter.Limit}, args...)...)
	return entries, engine.Wrap(err, "list the ledger")
}

const (
	// groupedEntries limits the entries that a page of the grouped ledger reads.
	groupedEntries = 20_000
	// entryAfter reads the id of the entry that follows $3 entries before the id $2.
	entryAfter = `SELECT id FROM (
			SELECT * FROM (SELECT id FROM ledger WHERE organization = $1 AND id < $2 ORDER BY id DESC LIMIT $3 + 1) AS kept
			UNION ALL SELECT * FROM (SELECT id FROM finished WHERE organization = $1 AND id < $2 AND ` + isCharge + ` ORDER BY id DESC LIMIT $3 + 1) AS charges
		) AS entries ORDER BY id DESC LIMIT 1 OFFSET $3`
	// isAlone picks entries that belong to no batch and no sweep. SQLite reads the tables of a CROSS
	// JOIN in their order; otherwise it would read all answers for each entry.
	isAlone = `NOT EXISTS (SELECT 1 FROM batch_tasks b WHERE b.organization = $1 AND b.job = TABLE.id)
		AND (tracker IS NULL OR NOT EXISTS (SELECT 1 FROM trackers t CROSS JOIN answers a
			WHERE t.organization = $1 AND t.name = TABLE.tracker AND a.organization = $1 AND a.tracker = t.id AND a.id = TABLE.id))`
	// groupSums reads the batches and sweeps with ids before $2 and from $3 on, and the sums of their
	// charges. The counter of a sweep lacks the tasks that are not recorded yet, and still has the
	// charges of deleted answers, whose entries belong to no sweep.
	groupSums = `
		SELECT b.id, b.created_at, '', b.accepted, -(SELECT COALESCE(SUM(f.charged), 0)
			FROM batch_tasks t JOIN finished f ON f.organization = t.organization AND f.id = t.job
			WHERE t.organization = $1 AND t.batch = b.id)
		FROM batches b WHERE b.organization = $1 AND b.id < $2 AND b.id >= $3
		UNION ALL
		SELECT s.id, s.started_at, t.name, s.submitted, CASE WHEN s.state <> 'running' AND s.pruned = 0 THEN -s.charged ELSE
			-(SELECT COALESCE(SUM(CASE WHEN a.outcome <> 'pending' THEN a.charged
				ELSE (SELECT f.charged FROM finished f WHERE f.organization = $1 AND f.id = a.id) END), 0)
			FROM answers a WHERE a.organization = $1 AND a.tracker = s.tracker AND a.sweep = s.id) END
		FROM trackers t JOIN sweeps s ON s.organization = t.organization AND s.tracker = t.id
		WHERE t.organization = $1 AND s.id < $2 AND s.id >= $3 AND s.started_at IS NOT NULL`
)

// GroupedLedger is Ledger with one entry for all charges of a batch or sweep. It reads a limited
// number of entries; next is the id to continue from, or "" at the end. Every entry of the ledger
// counts in exactly one of the returned ones: a group has the id of its batch or sweep, and an entry
// whose batch or sweep was deleted is listed by itself.
func (s *Store) GroupedLedger(ctx context.Context, organization string, filter LedgerFilter) (entries []earshot.LedgerEntry, next string, err error) {
	before := cmp.Or(filter.Before, uuid.Max.String())
	err = s.ShardOf(organization).Reports.Snapshot(ctx, func(now engine.Snapshot) error {
		last, err := engine.FindValues[string](ctx, now, entryAfter, organization, before, groupedEntries-1)
		if err != nil {
			return err
		}
		from := uuid.Nil.String()
		if len(last) > 0 {
			from, next = last[0], last[0]
		}
		alone := LedgerFilter{Kind: filter.Kind, Before: before, Limit: filter.Limit + 1}
		if entries, err = findEntries(ctx, now, organization, alone, isAlone+` AND id >= $5`, from); err != nil {
			return err
		}
		return now.Find(ctx, func(r engine.Scanner) error {
			var at, sum int64
			e := earshot.LedgerEntry{Kind: earshot.LedgerCharge}
			err := r.Scan(&e.ID, &at, &e.Tracker, &e.Tasks, &sum)
			if e.At, e.Credits, e.Batch = earshot.At(at), sum, e.ID; e.Tracker != "" {
				e.Batch, e.Sweep = "", e.ID
			}
			if sum != 0 {
				entries = append(entries, e)
			}
			return err
		}, groupSums, organization, before, from)
	})
	if err != nil {
		return nil, "", fmt.Errorf("list the grouped ledger: %w", err)
	}
	slices.SortFunc(entries, func(a, b earshot.LedgerEntry) int { return cmp.Compare(b.ID, a.ID) })
	if len(entries) > filter.Limit {
		entries = entries[:filter.Limit]
		next = entries[filter.Limit-1].ID
	}
	return entries, next, nil
}
