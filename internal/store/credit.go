package store

import (
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
	var o *account.Organization
	err := s.write(id, func(ctx context.Context, tx *tx) (err error) {
		if _, err = s.lockOrganization(ctx, tx, id, now); err != nil {
			return err
		}
		o, err = book(ctx, tx, id, kindGrant, credits, now)
		return err
	})
	return o, err
}

// SetBalance corrects an organization's balance to credits. It fails when
// running jobs hold more than that.
func (s *Store) SetBalance(id string, credits int64, now time.Time) (*account.Organization, error) {
	var o *account.Organization
	err := s.write(id, func(ctx context.Context, tx *tx) (err error) {
		if o, err = s.lockOrganization(ctx, tx, id, now); err != nil {
			return err
		}
		if credits < o.Held {
			return fmt.Errorf("running jobs hold %d credits, so the balance cannot be set to %d now", o.Held, credits)
		}
		if credits != o.Balance {
			o, err = book(ctx, tx, id, kindAdjust, credits-o.Balance, now)
		}
		return err
	})
	return o, err
}

// renew ends the cycle of a locked organization: what is unused of its grant
// lapses, and the next grant comes. Cycles that passed unseen leave no trace,
// since each would have granted and lapsed the same.
func renew(ctx context.Context, tx *tx, o *account.Organization, now time.Time) (*account.Organization, error) {
	start, end := account.Cycle(time.UnixMilli(o.CreatedAt), now)
	if unused := o.Unused(); unused > 0 {
		if _, err := book(ctx, tx, o.ID, kindLapse, -unused, now); err != nil {
			return nil, err
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE organizations SET cycle_started_at = $2, cycle_resets_at = $3, cycle_grant = credits_per_cycle, cycle_used = 0
		WHERE id = $1`, o.ID, millis(start), millis(end))
	if err != nil {
		return nil, fmt.Errorf("begin a cycle of organization %s: %w", o.ID, err)
	}
	return book(ctx, tx, o.ID, kindGrant, o.Plan.CreditsPerCycle, now)
}

// book changes the balance by amount and writes the entry that says so.
func book(ctx context.Context, tx *tx, organization, kind string, amount int64, now time.Time) (*account.Organization, error) {
	o, err := scanOrganization(tx.QueryRowContext(ctx,
		`UPDATE organizations SET balance = balance + $2 WHERE id = $1 RETURNING `+organizationColumns, organization, amount))
	if err != nil {
		return nil, fmt.Errorf("change the balance of organization %s: %w", organization, err)
	}
	return o, enter(ctx, tx, organization, kind, amount, nil, millis(now))
}

// enter appends to the ledger. A second entry of a kind for the same job is
// refused by the table.
func enter(ctx context.Context, tx *tx, organization, kind string, amount int64, job *string, at int64) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO ledger (id, organization, at, kind, amount, job) VALUES ($1, $2, $3, $4, $5, $6)`,
		newID(), organization, at, kind, amount, job)
	if err != nil {
		return fmt.Errorf("enter a %s of organization %s: %w", kind, organization, err)
	}
	return nil
}
