package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Buyer pays for the requests of a session. Package purchase reserves the price of a request
// before it is sent, and books what the upstream charged for it.
type Buyer interface {
	// Buy sends a request that costs money, unless its response is kept from before.
	Buy(ctx context.Context, s *Session, req *Request) (*Response, error)
	// Order asks an upstream that answers later. It returns the document with the answer,
	// *Pending before the upstream has answered, or *Failure.
	Order(ctx context.Context, s *Session, o *Order) ([]byte, error)
}

// Verdict is what an upstream says about a request that it received.
type Verdict struct {
	// Charge is what the upstream charges: the figure that it reports, or 0 by its rules. Nil means
	// the configured price.
	Charge *USD
	// Failure is nil if the document is an answer. With the reason "empty", the upstream looked
	// and found nothing.
	Failure *Failure
}

// Free is the charge of a request that costs nothing.
func Free() *USD { return new(USD) }

// Order is a question to an upstream that answers later.
type Order struct {
	// Buys is what the order buys. Nil means one request.
	Buys *Parts
	// Wait is how long the upstream may take before the next upstream is asked.
	Wait time.Duration
	// Every is the shortest time between two polls.
	Every time.Duration
	// Submit sends the question and returns the upstream's id, and the charge if the upstream reports
	// it. The upstream gets key if it accepts an idempotency key or a tag.
	Submit func(ctx context.Context, key string) (id string, charge *USD, err error)
	// Find is like Submit for a question that may have been submitted with key at about that time.
	// The id is "" if the upstream did not accept it. Nil if the upstream offers no such lookup.
	Find func(ctx context.Context, key string, submitted time.Time) (id string, charge *USD, err error)
	// FindAfter is how long after a submission Find can be relied on.
	FindAfter time.Duration
	// Idempotent says that a second submission with the same key is neither accepted nor
	// charged again. The upstream may return the id of the first one, or answer with 409.
	Idempotent bool
	// Poll returns the document with the answer, or ErrNotReady while the upstream works on it. A
	// *Failure means that the poll failed, not the order: it is repeated.
	Poll func(ctx context.Context, id string) ([]byte, error)
	// Judge says what the document means. Nil means that every document is an answer.
	Judge func(document []byte) Verdict
	// Cancel ends the work on a question that took longer than Wait, for upstreams that limit
	// open questions. May be nil.
	Cancel func(ctx context.Context, id string) error
}

// ErrNotReady is the error of Order.Poll while the upstream works on the question.
var ErrNotReady = errors.New("the upstream is still working on the question")

// Pending is the error of an attempt whose upstream has not answered yet. The job polls
// again later and asks no other upstream in the meantime.
type Pending struct {
	After time.Duration
	// Cause is why a submission ended without a clear answer; the next attempt repeats it
	// with the same key. Nil if the upstream accepted the question.
	Cause *Failure
}

func (p *Pending) Error() string {
	return fmt.Sprintf("the upstream has not answered yet, poll again in %s", p.After)
}

// Order asks an upstream that answers later.
func (s *Session) Order(ctx context.Context, o *Order) ([]byte, error) {
	if s.buyer == nil {
		return nil, errors.New("an order needs a buyer")
	}
	return s.buyer.Order(ctx, s, o)
}

// costs reports whether a request costs money.
func (s *Session) costs(req *Request) bool {
	return s.buyer != nil && s.client.Paid() && req.Site == s.client.api.Name && !req.Free
}

// Item identifies what a request buys. Equal requests buy the same.
func (r *Request) Item() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", r.Path, r.Query.Encode(), r.Body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Price returns the most that a request costs.
func (s *Session) Price(buys *Parts) USD {
	if buys == nil {
		buys = &oneRequest
	}
	return s.client.Price(s.provider).Of(*buys)
}
