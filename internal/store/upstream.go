package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"earshot/internal/store/engine"
	"earshot/internal/store/outbound"
)

// ErrCeiling is returned by Reserve if a purchase might exceed the upstream's daily ceiling.
var ErrCeiling = errors.New("its daily ceiling is reached")

// Reserve stores a purchase that is about to be sent and reserves its price, in one transaction. It
// sets the purchase's number. It returns ErrCeiling if what is booked today and reserved would exceed
// the ceiling (0 for none), and ErrLost if the running job no longer belongs to its node. The job is nil for a
// purchase in addition to a job that has ended.
func (s *Store) Reserve(job *Job, p *outbound.Purchase, ceiling int64) error {
	reservation := &purchaseChange{purchase: p, ceiling: cmp.Or(ceiling, math.MaxInt64)}
	err := s.Commit(Change{Organization: p.Organization, Across: s.Sharded(), job: job, Apply: func(_ context.Context, w *Work) error {
		reservation.refusal = nil
		if job != nil && !w.owns(job) {
			reservation.refusal = ErrLost
			return nil
		}
		w.purchases = append(w.purchases, reservation)
		return nil
	}})
	if err == nil {
		err = reservation.refusal
	}
	return engine.Wrap(err, "reserve a purchase of job %s", p.Job)
}

// SavePurchase stores a change of a purchase. When its request has ended, what it charged replaces its
// reservation and is booked on the day of now; estimated says that the upstream did not report it.
// It returns ErrLost if the request has ended before, unless its outcome was unknown. A result becomes
// the result of the job, if that has failed without one.
func (s *Store) SavePurchase(p *outbound.Purchase, estimated bool, result []byte, now time.Time) error {
	change := &purchaseChange{purchase: p, save: true, estimated: estimated, result: result, at: now}
	err := s.Commit(Change{Organization: p.Organization, Across: s.Sharded(), Apply: func(_ context.Context, w *Work) error {
		change.refusal = nil
		w.purchases = append(w.purchases, change)
		return nil
	}})
	if err == nil {
		err = change.refusal
	}
	return engine.Wrap(err, "save a purchase of job %s", p.Job)
}

// purchaseChange is a change to a purchase in a transaction.
type purchaseChange struct {
	purchase  *outbound.Purchase
	ceiling   int64 // of a new purchase
	save      bool  // the purchase exists
	estimated bool
	result    []byte
	at        time.Time
	refusal   error
}

// storePurchases applies all changes to purchases. It locks the accounts of their upstreams in the
// order of their names, so that transactions cannot deadlock.
func (w *Work) storePurchases(ctx context.Context) error {
	byUpstream := map[string][]*purchaseChange{}
	for _, c := range w.purchases {
		byUpstream[c.purchase.Upstream] = append(byUpstream[c.purchase.Upstream], c)
	}
	for _, upstream := range slices.Sorted(maps.Keys(byUpstream)) {
		account, err := outbound.LockAccount(ctx, w.Tx, upstream, engine.Millis(w.Clock.Now())/dayMillis)
		if err != nil {
			return err
		}
		for _, c := range byUpstream[upstream] {
			apply := w.reserve
			if c.save {
				apply = w.savePurchase
			}
			if err := apply(ctx, account, c); err != nil {
				return err
			}
		}
		if err := account.Store(ctx, w.Tx); err != nil {
			return err
		}
	}
	return nil
}

func (w *Work) reserve(ctx context.Context, account *outbound.UpstreamAccount, c *purchaseChange) error {
	p := c.purchase
	spent := account.Booked + account.Reserved
	if spent >= c.ceiling || spent+p.Reserved > c.ceiling {
		c.refusal = ErrCeiling
		return nil
	}
	number, err := outbound.NextPurchase(ctx, w.Tx, p.Organization, p.Basket)
	if err != nil {
		return err
	}
	p.Number = number
	account.Reserved += p.Reserved
	return outbound.InsertPurchase(ctx, w.Tx, p)
}

func (w *Work) savePurchase(ctx context.Context, account *outbound.UpstreamAccount, c *purchaseChange) error {
	p := c.purchase
	before, err := outbound.StoredPurchase(ctx, w.Tx, p)
	if err != nil {
		return err
	}
	wasOpen := before != nil && outbound.IsOpen(before.State)
	if before == nil || !wasOpen && before.State != "unknown" && before.State != "late" {
		c.refusal = ErrLost
		return nil
	}
	stored := *p
	if !outbound.IsOpen(p.State) {
		stored.Reserved = 0
	}
	switch ends := !outbound.IsOpen(p.State); {
	case ends && before.State != "late":
		account.Reserved -= before.Reserved
		charge := outbound.Charge{Organization: p.Organization, Upstream: p.Upstream, Provider: p.Provider, At: c.at, Amount: p.Charged, Estimated: c.estimated}
		account.Booked += p.Charged
		w.charges = append(w.charges, charge)
		if !wasOpen { // correct the estimate of an uncertain end
			charge.Amount, charge.Estimated = -before.Charged, true
			account.Booked -= before.Charged
			w.charges = append(w.charges, charge)
		}
	case !wasOpen && !ends:
		c.refusal = ErrLost
		return nil
	}
	if err := outbound.UpdatePurchase(ctx, w.Tx, &stored); err != nil || c.result == nil {
		return err
	}
	_, err = w.ExecContext(ctx, `UPDATE finished SET result = $3 WHERE organization = $1 AND id = $2 AND status = 'FAILED' AND result IS NULL`,
		p.Organization, p.Job, Pack(c.result))
	return err
}

// CountUses counts requests to upstreams of a job that has not ended.
func (s *Store) CountUses(job *Job, uses []outbound.Use) error {
	err := s.ShardOf(job.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		return outbound.CountUses(ctx, tx, outbound.UsesOf(job.Organization, job.Provider, s.Now(), uses))
	})
	return engine.Wrap(err, "count requests to upstreams")
}

// SaveShadowPair stores a pair and counts what the second upstream was asked.
func (s *Store) SaveShadowPair(pair *outbound.ShadowPair, uses []outbound.Use) error {
	err := s.Commit(Change{Organization: pair.Organization, Apply: func(_ context.Context, w *Work) error {
		w.shadowPairs = append(w.shadowPairs, pair)
		w.uses = append(w.uses, outbound.UsesOf(pair.Organization, pair.Provider, pair.At, uses)...)
		return nil
	}})
	return engine.Wrap(err, "save a shadow pair of job %s", pair.Job)
}
