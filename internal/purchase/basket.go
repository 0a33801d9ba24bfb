package purchase

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// maxLost is how many requests of a call or task may cost something without bringing an answer.
const maxLost = 2

// paidTime is how long a request may take that is paid for whether we wait for it or not.
const paidTime = 600 * time.Second

// reloadEvery is how often a call looks for the end of a request that another node has sent.
const reloadEvery = 500 * time.Millisecond

// basket holds what was bought for a call or task, and for the ones that it repeats. It pays for the
// requests of their sessions: it implements upstream.Buyer.
type basket struct {
	desk *Desk
	ledger
	id, organization, job, node, provider string
	most                                  upstream.USD // that the call or task may cost; 0 for no limit
	// keptOnly buys nothing, but reads answers that are kept and polls orders.
	keptOnly bool
	// extra says that the purchases are made for a comparison, which nobody waits for.
	extra bool

	mu        sync.Mutex
	purchases []*outbound.Purchase
	garbled   map[row]int // how many answers about an order in a row were unreadable
	estimated int         // number of purchases whose charge the upstream did not report
}

// row identifies a purchase.
type row struct {
	basket string
	number int
}

func rowOf(p *outbound.Purchase) row { return row{p.Basket, p.Number} }

// open returns the basket of a job, with what is stored. It ends purchases whose outcome nobody can
// learn any more: of requests that a lost process sent, and of upstreams that were removed.
func (d *Desk) open(ctx context.Context, l ledger, job *store.Job, request provider.Request) (*basket, error) {
	id, purchases, err := l.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read purchases: %w", err)
	}
	b := &basket{
		desk: d, ledger: l, id: id, organization: job.Organization, job: job.ID, node: job.Node, provider: job.Provider, purchases: purchases,
	}
	_, b.most = d.cost(job.Provider, request)
	for _, p := range purchases {
		lost := p.State == stateSent && p.Key == "" && p.Job == job.ID && !d.isFollowed(p)
		removed := outbound.IsOpen(p.State) && d.client(p.Upstream) == nil
		if !lost && !removed {
			continue
		}
		if err := b.close(p, interrupted(p)); err != nil && !errors.Is(err, store.ErrLost) {
			return nil, err
		}
	}
	return b, nil
}

// interrupted returns the end of a purchase whose request nobody follows any more.
func interrupted(p *outbound.Purchase) end {
	if p.Charged > 0 { // the vendor reported it when it accepted the order
		return end{state: stateUnknown, charged: upstream.USD(p.Charged)}
	}
	return end{state: stateUnknown, charged: upstream.USD(p.Reserved), estimated: true}
}

// Buy returns the kept answer to a request, or sends the request. A request that was sent goes on when
// the caller leaves: its answer is kept and can be read later.
func (b *basket) Buy(ctx context.Context, s *upstream.Session, req *upstream.Request) (*upstream.Response, error) {
	item := req.Item()
	for p := b.find(s.Upstream(), item); p != nil; p = b.find(s.Upstream(), item) {
		if f := b.desk.flight(p); f != nil {
			return b.wait(ctx, f)
		}
		if isAnswer(p) {
			if !b.isReadable(p, req.Judge) {
				continue
			}
			s.NoteFetched(p.Document)
			return &upstream.Response{Body: p.Document}, b.use(p)
		}
		if !b.desk.isFollowed(p) { // its node was lost
			if err := b.close(p, interrupted(p)); err == nil {
				continue
			}
		}
		if err := b.reload(ctx); err != nil { // another node waits for the answer, or was faster
			return nil, err
		}
	}
	enter := func() error { return s.Spend(ctx, req.Site) }
	p, err := b.reserveFor(s, item, s.Price(req.Buys), paidTime, enter)
	if err != nil {
		return nil, err
	}
	f := b.desk.depart(p)
	go b.send(ctx, s, req, p, f)
	return b.wait(ctx, f)
}

// find returns the purchase of an item that has an answer or may still get one.
func (b *basket) find(name, item string) *outbound.Purchase {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.purchases {
		if p.Upstream == name && p.Item == item && (isAnswer(p) || p.State == stateSent) {
			return p
		}
	}
	return nil
}

// isReadable reports whether a kept document is still an answer for this version of the service. Another
// one is not kept any longer.
func (b *basket) isReadable(p *outbound.Purchase, judge func([]byte) upstream.Verdict) bool {
	if b.keptOnly || recovered(p.Document, judge).Failure == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p.State = stateFailed
	return false
}

// reload reads the purchases again after a moment.
func (b *basket) reload(ctx context.Context) error {
	select {
	case <-time.After(reloadEvery):
	case <-ctx.Done():
		return upstream.FailureOf(ctx, ctx.Err())
	}
	_, purchases, err := b.load(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purchases = purchases
	return nil
}

// use notes that somebody has read an answer that came late.
func (b *basket) use(p *outbound.Purchase) error {
	b.mu.Lock()
	late := p.State == stateLate && !b.keptOnly
	if late {
		p.State = stateAnswered
	}
	b.mu.Unlock()
	if !late {
		return nil
	}
	if err := b.save(p, false); err != nil && !errors.Is(err, store.ErrLost) {
		return err
	}
	return nil
}

var (
	errNotKept = errors.New("the answer is not complete: a part of it was never bought")
	errLost    = fmt.Errorf("%d requests were charged, or may have been, and brought no answer", maxLost)
)

// notBought returns the failure of a request that is not sent.
func notBought(name string, err error) *upstream.Failure {
	return &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%s: %w", name, err), Final: true, Refused: true, Skipped: true}
}

// reserveFor stores a purchase that is about to be sent, if it is within all limits. enter waits for the
// upstream's limit of calls.
func (b *basket) reserveFor(s *upstream.Session, item string, price upstream.USD, wait time.Duration, enter func() error) (*outbound.Purchase, error) {
	if b.keptOnly {
		return nil, notBought(s.Upstream(), errNotKept)
	}
	if err := b.allows(price); err != nil {
		return nil, notBought(s.Upstream(), err)
	}
	if err := enter(); err != nil {
		return nil, err
	}
	now := b.desk.now()
	p := &outbound.Purchase{
		Organization: b.organization, Basket: b.id, Job: b.job, Node: b.node, Provider: b.provider, Upstream: s.Upstream(), Item: item,
		State: stateSent, Reserved: int64(price), SentAt: now, Deadline: now.Add(wait), LookAt: now,
	}
	if item == itemOrder {
		p.Key = b.orderKey()
	}
	err := b.reserve(p, int64(s.Ceiling()))
	if errors.Is(err, store.ErrCeiling) {
		return nil, notBought(s.Upstream(), store.ErrCeiling)
	}
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purchases = append(b.purchases, p)
	return p, nil
}

// allows returns why the job may not spend a price, or nil.
func (b *basket) allows(price upstream.USD) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	spent := upstream.USD(0)
	for _, p := range b.purchases {
		if p.Job != b.job {
			continue // for an earlier call or task
		}
		if outbound.IsOpen(p.State) {
			spent += upstream.USD(max(p.Charged, p.Reserved))
		} else {
			spent += upstream.USD(p.Charged)
		}
	}
	switch {
	case b.lost() >= maxLost:
		return errLost
	case b.most > 0 && spent+price > b.most:
		return fmt.Errorf("%.9g USD are spent on this answer, and it may cost at most %.9g USD", spent.Float(), b.most.Float())
	}
	return nil
}

// lost returns how many requests of the job were charged, or may have been, in vain. b.mu is locked.
func (b *basket) lost() (n int) {
	for _, p := range b.purchases {
		if p.Job == b.job && isLost(p) {
			n++
		}
	}
	return n
}

// isSpent reports whether nothing more is bought for the job.
func (b *basket) isSpent() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost() >= maxLost
}

// hasAnswer reports whether an answer is kept.
func (b *basket) hasAnswer() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.purchases, isAnswer)
}

// bought returns how many requests to an upstream were made for the job.
func (b *basket) bought(name string) (n int) {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.purchases {
		if p.Upstream == name && p.Job == b.job {
			n++
		}
	}
	return n
}

// charged returns what the purchases of the job from an upstream were charged, and how many of all
// charges the upstream did not report.
func (b *basket) charged(name string) (sum int64, estimated int) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.purchases {
		if p.Upstream == name && p.Job == b.job && !outbound.IsOpen(p.State) {
			sum += p.Charged
		}
	}
	return sum, b.estimated
}

// send sends the request of a purchase and stores how it ended.
func (b *basket) send(ctx context.Context, s *upstream.Session, req *upstream.Request, p *outbound.Purchase, f *flight) {
	defer b.desk.arrive(p, f)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), paidTime)
	defer cancel()
	defer context.AfterFunc(b.desk.stopped, cancel)()
	if b.extra {
		defer context.AfterFunc(b.desk.shadowCtx, cancel)()
	}
	response, err := sendSafely(ctx, s, req)
	if b.desk.stopped.Err() != nil && err != nil { // another node closes the purchase
		f.err = err
		return
	}
	price := upstream.USD(p.Reserved)
	e := failed(err, price)
	if err == nil {
		e = judged(response.Body, req.Judge, price)
	}
	if f.end() && e.state == stateAnswered {
		e.state = stateLate
	}
	if err := b.close(p, e); err != nil {
		b.desk.Log.Error("the end of a paid request was not stored", "request", b.job, "upstream", p.Upstream, "error", err)
	}
	f.response = response
	if e.failure != nil {
		f.response, f.err = nil, e.failure
	}
}

// sendSafely recovers from panics of the code that reads answers with an error status.
func sendSafely(ctx context.Context, s *upstream.Session, req *upstream.Request) (_ *upstream.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = upstream.Fail(earshot.ReasonUnreadable, "%w: %v\n%s", upstream.ErrPanicked, p, debug.Stack())
		}
	}()
	return s.Send(ctx, req)
}

// wait waits for the end of a request.
func (b *basket) wait(ctx context.Context, f *flight) (*upstream.Response, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		if f.leave() {
			return nil, upstream.FailureOf(ctx, ctx.Err())
		}
		<-f.done
	}
	return f.response, f.err
}

// close ends a purchase and books what it was charged.
func (b *basket) close(p *outbound.Purchase, e end) error {
	b.mu.Lock()
	p.State, p.Charged, p.Document = e.state, int64(e.charged), e.document
	if e.estimated {
		b.estimated++
	}
	b.mu.Unlock()
	return b.save(p, e.estimated)
}
