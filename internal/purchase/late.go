package purchase

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

const (
	// lateBatch is the maximum number of purchases of a shard that one round of CollectLate looks at.
	lateBatch = 200
	// roundTime limits such a round, and pollTime one purchase, since a vendor may hang.
	roundTime = time.Minute
	pollTime  = 30 * time.Second
)

// CollectLate looks at the purchases of calls and tasks that have ended: ones that timed out, whose
// client left, or whose node was lost. It books what they cost. An answer is stored with its call or
// task, which stays failed and is not charged.
func (d *Desk) CollectLate(ctx context.Context, _ time.Time) error {
	due, err := d.outbound.DuePurchases(d.Store.Now(), d.LateEvery, lateBatch)
	if err != nil || len(due) == 0 {
		return err
	}
	byUpstream := map[string][]*outbound.Purchase{}
	for _, p := range due {
		if p.State != stateSent || !d.isFollowed(p) {
			byUpstream[p.Upstream] = append(byUpstream[p.Upstream], p)
		}
	}
	var group errgroup.Group
	for _, list := range byUpstream {
		group.Go(func() error { return d.collectAll(ctx, list) })
	}
	return group.Wait()
}

// collectAll looks at purchases of one upstream until roundTime is over.
func (d *Desk) collectAll(ctx context.Context, list []*outbound.Purchase) error {
	for began := time.Now(); len(list) > 0 && time.Since(began) < roundTime; list = list[1:] {
		if err := d.collect(ctx, list[0]); err != nil && ctx.Err() == nil {
			d.Log.Warn("collecting a late answer failed", "request", list[0].Job, "upstream", list[0].Upstream, "error", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// collect looks at one purchase of a call or task that has ended, and closes it if it can.
func (d *Desk) collect(ctx context.Context, p *outbound.Purchase) (err error) {
	defer func() {
		if v := recover(); v != nil { // it would end the node
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	task, err := d.Store.Request(ctx, p.Organization, p.Job)
	gone := errors.Is(err, store.ErrNotFound)
	if err != nil && !gone {
		return err
	}
	if outbound.IsOpen(p.State) && (gone || p.Key == "" || d.client(p.Upstream) == nil || d.now().Sub(p.SentAt) > orderTime) {
		return d.closeLate(p, interrupted(p), nil)
	}
	var o *Outcome
	if !gone {
		o, err = d.readLate(ctx, &task.Job, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if p.State != stateLate { // the order is open, or its end is booked
		return err
	}
	var result []byte
	if o != nil && task.Status == earshot.StatusFailed && task.Result == nil {
		d.Log.Info("storing an answer that arrived after its request had ended", "request", p.Job, "upstream", p.Upstream)
		result = o.Result
	}
	return d.closeLate(p, end{state: stateAnswered, charged: upstream.USD(p.Charged), document: p.Document}, result)
}

// closeLate closes a purchase. A result becomes the result of its job.
func (d *Desk) closeLate(p *outbound.Purchase, e end, result []byte) error {
	p.State, p.Charged, p.Document = e.state, int64(e.charged), e.document
	if err := (stored{desk: d}).saveResult(p, e.estimated, result); !errors.Is(err, store.ErrLost) {
		return err
	}
	return nil // another node was faster
}

// readLate reads the answer to a job from what was bought for it, and polls its order p. It buys nothing.
// It returns nil if there is no answer (yet).
func (d *Desk) readLate(ctx context.Context, job *store.Job, p *outbound.Purchase) (*Outcome, error) {
	def, request, err := d.Decode(job)
	if err != nil {
		return nil, err
	}
	b, err := d.open(ctx, stored{desk: d, job: job, id: p.Basket}, job, request)
	if err != nil {
		return nil, err
	}
	b.keptOnly = true
	for i, own := range b.purchases {
		if rowOf(own) == rowOf(p) {
			*p = *own
			b.purchases[i] = p // the caller sees its state
		}
	}
	captureID := account.NewCaptureID()
	limited, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	c := &Call{Job: job, Watched: def.HealthFields, Request: request, basket: b}
	var o *Outcome
	err = d.visit(d.client(p.Upstream), d.newAttempt(limited, c, captureID, 1), false, func(session *upstream.Session) (err error) {
		o, err = d.askThrough(limited, session, c, captureID)
		return err
	})
	if _, pending := errors.AsType[*upstream.Pending](err); pending {
		return nil, nil
	}
	if err != nil {
		d.Log.Info("a late answer cannot be read", "request", job.ID, "upstream", p.Upstream, "error", err)
		return nil, nil
	}
	return o, nil
}

// Decode reads the request of a stored job. The request was valid when it was submitted,
// but the service may have changed since then.
func (d *Desk) Decode(job *store.Job) (def provider.Definition, request provider.Request, err error) {
	p, err := d.Catalogue.Provider(job.Provider)
	if err != nil {
		return def, nil, &earshot.Error{
			Code: earshot.CodeUpstream, Message: job.Provider + " is no longer available",
			Details: earshot.UpstreamDetails{Service: job.Provider, Reason: earshot.ReasonUnavailable}, Err: err,
		}
	}
	request, err = provider.ParseRequest(p, job.Request)
	return p.Definition(), request, err
}
