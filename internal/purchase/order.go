package purchase

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

const (
	// itemOrder is the item of all orders: a call orders one answer from an upstream.
	itemOrder = "order"
	// submitTime is how long a vendor may take to accept an order.
	submitTime = time.Minute
	// orderTime is how long a vendor is polled: after it, nobody will know what it charged.
	orderTime = 24 * time.Hour
	// maxGarbled is how many unreadable answers about an order in a row end the wait for it.
	maxGarbled = 5
	maxPollGap = 30 * time.Second
)

// orderKey returns the key of the next order, which no other order has.
func (b *basket) orderKey() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 1
	for _, p := range b.purchases {
		if p.Key != "" {
			n++
		}
	}
	return fmt.Sprintf("%s-%d", b.id, n)
}

// lastOrder returns the newest order from an upstream, or nil.
func (b *basket) lastOrder(name string) *outbound.Purchase {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range slices.Backward(b.purchases) {
		if p.Upstream == name && p.Key != "" {
			return p
		}
	}
	return nil
}

// waiting returns the upstream of an order that may still be answered in time, or "".
func (b *basket) waiting() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.purchases {
		if p.Key != "" && outbound.IsOpen(p.State) && b.desk.now().Before(p.Deadline) {
			return p.Upstream
		}
	}
	return ""
}

// Order returns the document with the answer to an order. It submits the order unless that was done
// before, and polls once.
func (b *basket) Order(ctx context.Context, s *upstream.Session, o *upstream.Order) ([]byte, error) {
	p := b.lastOrder(s.Upstream())
	switch {
	case p == nil, p.State == stateUnknown && p.Job != b.job, !outbound.IsOpen(p.State) && p.State != stateUnknown && !(isAnswer(p) && b.isReadable(p, o.Judge)):
		var err error
		if p, err = b.submit(ctx, s, o); err != nil {
			return nil, err
		}
	case isAnswer(p):
		return p.Document, b.use(p)
	case p.State == stateUnknown:
		return nil, &upstream.Failure{Reason: earshot.ReasonTimeout, Final: true, Err: fmt.Errorf("order %s may have been charged and is not repeated", p.Key)}
	case p.State == stateSent:
		if err := b.resubmit(ctx, o, p); err != nil {
			return nil, err
		}
	}
	return b.poll(ctx, o, p)
}

// submit reserves and submits a new order.
func (b *basket) submit(ctx context.Context, s *upstream.Session, o *upstream.Order) (*outbound.Purchase, error) {
	p, err := b.reserveFor(s, itemOrder, s.Price(o.Buys), o.Wait, func() error { return nil })
	if err != nil {
		return nil, err
	}
	return p, b.deliver(ctx, o, p)
}

// deliver submits an order that is stored. It does not stop when the caller leaves, because nobody would
// know whether the vendor accepted the order.
func (b *basket) deliver(ctx context.Context, o *upstream.Order, p *outbound.Purchase) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTime)
	defer cancel()
	defer b.desk.arrive(p, b.desk.depart(p))
	id, charge, err := o.Submit(ctx, p.Key)
	if err == nil {
		return b.accepted(p, id, charge)
	}
	failure, ok := errors.AsType[*upstream.Failure](err)
	if !ok {
		return err
	}
	switch {
	case failure.Status == http.StatusConflict && o.Idempotent && o.Find == nil:
		failure.Final = true // the vendor has the order and does not return its id
		return errors.Join(failure, b.close(p, interrupted(p)))
	case failure.Refused:
		return errors.Join(failure, b.close(p, failed(failure, 0)))
	case o.Idempotent || o.Find != nil:
		return b.later(ctx, o, p, failure)
	}
	failure.Final = true
	return errors.Join(failure, b.close(p, interrupted(p)))
}

// accepted notes that the vendor has accepted an order.
func (b *basket) accepted(p *outbound.Purchase, id string, charge *upstream.USD) error {
	b.mu.Lock()
	p.State, p.VendorID = stateOpen, id
	if charge != nil {
		p.Charged = int64(*charge)
	}
	b.mu.Unlock()
	return b.save(p, false)
}

// resubmit continues a submission that was interrupted.
func (b *basket) resubmit(ctx context.Context, o *upstream.Order, p *outbound.Purchase) error {
	if o.Find != nil {
		if early := p.SentAt.Add(o.FindAfter).Sub(b.desk.now()); early > 0 {
			return &upstream.Pending{After: early}
		}
		id, charge, err := o.Find(ctx, p.Key, p.SentAt)
		if failure, ok := errors.AsType[*upstream.Failure](err); ok && ctx.Err() == nil {
			return b.later(ctx, o, p, failure)
		}
		if err != nil {
			return err
		}
		if id != "" {
			return b.accepted(p, id, charge)
		}
		if b.keptOnly { // the vendor does not have it
			return errors.Join(errNotKept, b.close(p, end{state: stateRefused}))
		}
	}
	if b.keptOnly || o.Find == nil && !o.Idempotent {
		failure := &upstream.Failure{Reason: earshot.ReasonUnavailable, Final: true, Err: fmt.Errorf("the submission of order %s was interrupted; it may have been charged and is not repeated", p.Key)}
		return errors.Join(failure, b.close(p, interrupted(p)))
	}
	p.SentAt = b.desk.now() // Find looks for the latest submission
	if err := b.save(p, false); err != nil {
		return err
	}
	return b.deliver(ctx, o, p)
}

// poll polls an order once.
func (b *basket) poll(ctx context.Context, o *upstream.Order, p *outbound.Purchase) ([]byte, error) {
	document, err := o.Poll(ctx, p.VendorID)
	if err == nil {
		price := upstream.USD(p.Reserved)
		if p.Charged > 0 {
			price = 0 // the vendor has reported its charge already
		}
		e := judged(document, o.Judge, price)
		e.charged += upstream.USD(p.Charged)
		e.estimated = e.estimated && p.Charged == 0
		if b.keptOnly && e.state == stateAnswered {
			e.state = stateLate // until it is stored with its call or task
		}
		if err := b.close(p, e); err != nil && !errors.Is(err, store.ErrLost) {
			return nil, err
		}
		if e.failure != nil {
			return nil, e.failure
		}
		return document, nil
	}
	failure, isFailure := errors.AsType[*upstream.Failure](err)
	if ctx.Err() != nil || !isFailure && !errors.Is(err, upstream.ErrNotReady) {
		return nil, err
	}
	waits := b.later(ctx, o, p, failure) // a poll that fails is repeated: it costs nothing
	if pending, ok := errors.AsType[*upstream.Pending](waits); ok {
		pending.Cause = nil // the vendor accepted the order
	}
	return nil, waits
}

// later returns *Pending, or a final failure if the order's deadline has passed. The order stays open
// then: its answer is collected and booked when it comes. failure is why the vendor could not be
// asked; nil if it could.
func (b *basket) later(ctx context.Context, o *upstream.Order, p *outbound.Purchase, failure *upstream.Failure) error {
	if b.isGarbled(p, failure) {
		return &upstream.Failure{Reason: failure.Reason, Final: true, Err: fmt.Errorf("order %s: %d answers in a row: %w", p.Key, maxGarbled, failure)}
	}
	now := b.desk.now()
	if now.Before(p.Deadline) {
		gap := max(o.Every, min(maxPollGap, now.Sub(p.SentAt)/8))
		if failure != nil {
			gap = max(gap, failure.RetryAfter)
		}
		return &upstream.Pending{After: gap, Cause: failure}
	}
	if o.Cancel != nil && p.VendorID != "" {
		_ = o.Cancel(ctx, p.VendorID) // later polls show whether this was in time
	}
	return &upstream.Failure{Reason: earshot.ReasonTimeout, Final: true, Err: fmt.Errorf("order %s was not answered within %s", p.Key, o.Wait)}
}

// isGarbled notes how a poll or a submission failed, and reports whether the last ones were all answered
// with something unreadable. failure is nil if it did not fail.
func (b *basket) isGarbled(p *outbound.Purchase, failure *upstream.Failure) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failure == nil || failure.Reason != earshot.ReasonUnreadable {
		delete(b.garbled, rowOf(p))
		return false
	}
	if b.garbled == nil {
		b.garbled = map[row]int{}
	}
	b.garbled[rowOf(p)]++
	return b.garbled[rowOf(p)] >= maxGarbled
}
