package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"earshot/internal/account"
)

// Kinds of ledger entries. Every change of a balance is one.
const (
	kindGrant  = "grant"  // credits of a cycle, or given by the operator
	kindCharge = "charge" // the price of a job
	kindLapse  = "lapse"  // what was unused at a cycle's end
	kindAdjust = "adjust" // the operator's correction
)

// Grant gives an organization credits beyond those of its cycle, and tells how
// it stands then. They do not lapse.
func (s *Store) Grant(id string, credits int64, now time.Time) (*account.Organization, error) {
	return s.change(id, now, func(w *work, o *row) error {
		w.book(o, entry{kind: kindGrant, amount: credits, at: millis(now)})
		return nil
	})
}

// SetBalance corrects an organization's balance to credits. It fails when
// running jobs hold more than that.
func (s *Store) SetBalance(id string, credits int64, now time.Time) (*account.Organization, error) {
	return s.change(id, now, func(w *work, o *row) error {
		if credits < o.Held {
			return fmt.Errorf("running jobs hold %d credits, so the balance cannot be set to %d now", o.Held, credits)
		}
		if credits != o.Balance {
			w.book(o, entry{kind: kindAdjust, amount: credits - o.Balance, at: millis(now)})
		}
		return nil
	})
}

// change changes one organization and tells how it stands then.
func (s *Store) change(id string, now time.Time, how func(*work, *row) error) (*account.Organization, error) {
	var stands account.Organization
	err := s.write(write{organization: id, apply: func(_ context.Context, w *work) error {
		o, err := w.organization(id, now)
		if err != nil {
			return err
		}
		err = how(w, o)
		stands = o.Organization
		return err
	}})
	if err != nil {
		return nil, err
	}
	return &stands, nil
}

// renew ends an organization's cycle: what is unused of its grant lapses, and
// the next grant comes. Cycles that passed unseen leave no trace, since each
// would have granted and lapsed the same.
func (w *work) renew(o *row, now time.Time) {
	start, end := account.Cycle(time.UnixMilli(o.CreatedAt), now)
	if unused := o.Unused(); unused > 0 {
		w.book(o, entry{kind: kindLapse, amount: -unused, at: millis(now)})
	}
	o.CycleStartedAt, o.CycleResetsAt = millis(start), millis(end)
	o.CycleGrant, o.CycleUsed = o.Plan.CreditsPerCycle, 0
	w.book(o, entry{kind: kindGrant, amount: o.CycleGrant, at: millis(now)})
}

// entry is a line of the ledger.
type entry struct {
	organization string
	id           string // that of the job that is charged; "" for a new one
	kind         string
	amount       int64
	at           int64
}

// book changes a balance and notes the entry that says so.
func (w *work) book(o *row, e entry) {
	o.Balance += e.amount
	e.organization = o.ID
	w.entries = append(w.entries, e)
}

// storeEntries appends to the ledger. A second entry of a kind for the same job
// is refused by the table.
func (w *work) storeEntries(ctx context.Context) error {
	all := w.entries
	return w.each(ctx, table(len(all)).
		uuid("id", func(i int) string { return cmp.Or(all[i].id, newID()) }).
		uuid("organization", func(i int) string { return all[i].organization }).
		int("at", func(i int) int64 { return all[i].at }).
		text("kind", func(i int) string { return all[i].kind }).
		int("amount", func(i int) int64 { return all[i].amount }), `
		INSERT INTO ledger (id, organization, at, kind, amount) SELECT id, organization, at, kind, amount FROM $rows`, nil)
}
