package purchase

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store"
	"earshot/internal/store/outbound"
)

// ledger stores the purchases of a basket.
type ledger interface {
	// load returns the id of the basket and its purchases, oldest first.
	load(ctx context.Context) (id string, stored []*outbound.Purchase, err error)
	// reserve stores a purchase before it is sent. See store.Reserve.
	reserve(p *outbound.Purchase, ceiling int64) error
	// save stores a change. It tries again while the database cannot be reached, because what
	// was paid would be lost otherwise.
	save(p *outbound.Purchase, estimated bool) error
}

// stored is the ledger of a call or task in the database.
type stored struct {
	desk *Desk
	job  *store.Job
	// extra says that the purchases are made in addition to the job's, which may have ended: for a comparison.
	extra bool
	id    string // of the basket; "" for the one of the job
}

// baskets is the name space of the ids of baskets of calls and tasks with an idempotency key.
var baskets = uuid.MustParse("5d6c1ae2-6f1c-4c50-9d2e-4a4f2f0a7e11")

func (s stored) load(ctx context.Context) (string, []*outbound.Purchase, error) {
	if s.extra {
		return uuid.NewString(), nil, nil
	}
	id := s.id
	if id == "" {
		var err error
		if id, err = s.basket(ctx); err != nil {
			return "", nil, err
		}
	}
	purchases, err := s.desk.outbound.Purchases(ctx, s.job.Organization, id)
	for _, p := range purchases {
		if err == nil {
			p.Document, err = store.Unpack(p.Document)
		}
	}
	return id, purchases, err
}

// basket returns the id of the basket of a job. Jobs that repeat each other share it.
func (s stored) basket(ctx context.Context) (string, error) {
	if s.job.IdempotencyKey != nil {
		return basketOf(s.job, ""), nil
	}
	first, err := s.desk.outbound.FirstJob(ctx, s.job.Organization, s.job.ID)
	if err != nil || first == s.job.ID {
		return first, err
	}
	task, err := s.desk.Store.Request(ctx, s.job.Organization, first)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return first, nil
	case err != nil:
		return "", err
	}
	return basketOf(&task.Job, first), nil // the repetition of a failed call does not take over its key
}

// basketOf returns the basket of a job that repeats no other.
func basketOf(job *store.Job, id string) string {
	if job.IdempotencyKey == nil {
		return id
	}
	name := job.Organization + "\n" + job.Provider + "\n" + *job.IdempotencyKey + "\n" + string(job.Request)
	return uuid.NewSHA1(baskets, []byte(name)).String()
}

func (s stored) reserve(p *outbound.Purchase, ceiling int64) error {
	job := s.job
	if s.extra {
		job = nil
	}
	return s.desk.Store.Reserve(job, p, ceiling)
}

func (s stored) save(p *outbound.Purchase, estimated bool) error {
	return s.saveResult(p, estimated, nil)
}

// saveResult is save; the result becomes the result of the job, if that has failed without one.
func (s stored) saveResult(p *outbound.Purchase, estimated bool, result []byte) error {
	packed := *p
	packed.Document = store.Pack(p.Document)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := s.desk.Store.SavePurchase(&packed, estimated, result, s.desk.Store.Now())
		if err == nil || errors.Is(err, store.ErrLost) {
			return err
		}
		s.desk.Log.Warn("storing a purchase failed, trying again", "request", p.Job, "upstream", p.Upstream, "error", err)
		select {
		case <-time.After(wait):
		case <-s.desk.stopped.Done():
			return err
		}
	}
}

// memory is a ledger without a database, for `earshot check` and tests of vendors.
type memory struct{ purchases []*outbound.Purchase }

func (m *memory) load(context.Context) (string, []*outbound.Purchase, error) {
	return "check-" + uuid.NewString(), m.purchases, nil
}

func (m *memory) reserve(p *outbound.Purchase, _ int64) error {
	p.Number = len(m.purchases) + 1
	m.purchases = append(m.purchases, p)
	return nil
}

func (m *memory) save(*outbound.Purchase, bool) error { return nil }
