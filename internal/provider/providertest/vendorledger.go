package providertest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/upstream"
)

// Ledger is a Buyer that keeps its purchases in memory. It knows neither ceilings nor retries.
type Ledger struct {
	Purchases []Purchase

	submitted time.Time // of a submission that was lost; zero for none
}

// Purchase is a paid request or an order that has ended.
type Purchase struct {
	Buys      upstream.Parts
	USD       upstream.USD
	Estimated bool           // USD is the configured price
	Reason    earshot.Reason // of the failure; "" for an answer
	Polls     int            // of an order
}

var _ upstream.Buyer = (*Ledger)(nil)

// USD returns what all purchases cost.
func (l *Ledger) USD() (sum upstream.USD) {
	for _, p := range l.Purchases {
		sum += p.USD
	}
	return sum
}

// Buys returns what all purchases bought.
func (l *Ledger) Buys() (sum upstream.Parts) {
	for _, p := range l.Purchases {
		sum.Requests += p.Buys.Requests
		sum.Pages += p.Buys.Pages
		sum.Overviews += p.Buys.Overviews
		sum.Extras += p.Buys.Extras
	}
	return sum
}

// Reported reports whether the vendor reported a charge.
func (l *Ledger) Reported() bool {
	return slices.ContainsFunc(l.Purchases, func(p Purchase) bool { return !p.Estimated })
}

// Buy implements upstream.Buyer.
func (l *Ledger) Buy(ctx context.Context, s *upstream.Session, req *upstream.Request) (*upstream.Response, error) {
	response, err := s.Send(ctx, req)
	if err != nil {
		return nil, l.end(Purchase{}, err)
	}
	judge := req.Judge
	if judge == nil {
		judge = func([]byte) upstream.Verdict { return upstream.Verdict{} }
	}
	return response, l.judge(s, Purchase{Buys: *cmp.Or(req.Buys, &upstream.Parts{Requests: 1})}, judge(response.Body))
}

// maxPolls is how often an order is polled.
const maxPolls = 8

// Order implements upstream.Buyer.
func (l *Ledger) Order(ctx context.Context, s *upstream.Session, o *upstream.Order) (document []byte, err error) {
	const key = "job-1"
	var id string
	var charge *upstream.USD
	if !l.submitted.IsZero() {
		id, charge, err = o.Find(ctx, key, l.submitted)
	}
	if id == "" && err == nil {
		id, charge, err = o.Submit(ctx, key)
	}
	if err != nil {
		return nil, l.end(Purchase{}, err)
	}
	p := Purchase{Buys: *o.Buys, USD: *cmp.Or(charge, upstream.Free())}
	for err = upstream.ErrNotReady; err != nil; p.Polls++ {
		_, failed := errors.AsType[*upstream.Failure](err)
		if !failed && !errors.Is(err, upstream.ErrNotReady) || p.Polls == maxPolls {
			return nil, l.end(p, err)
		}
		document, err = o.Poll(ctx, id)
	}
	return document, l.judge(s, p, o.Judge(document))
}

// judge ends a purchase with a verdict.
func (l *Ledger) judge(s *upstream.Session, p Purchase, verdict upstream.Verdict) error {
	p.Estimated = verdict.Charge == nil
	p.USD += *cmp.Or(verdict.Charge, new(s.Price(&p.Buys)))
	if verdict.Failure != nil {
		return l.end(p, verdict.Failure)
	}
	return l.end(p, nil)
}

func (l *Ledger) end(p Purchase, err error) error {
	if err != nil {
		p.Reason = earshot.Reason(upstream.Outcome(err))
	}
	l.Purchases = append(l.Purchases, p)
	return err
}
