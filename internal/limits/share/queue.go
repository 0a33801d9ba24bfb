package share

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ErrBusy means that a new request would have to wait too long.
var ErrBusy = errors.New("too many requests are waiting")

const (
	// Patience is how long the first waiter of a queue may wait before the queue is closed
	// to new requests. A burst arrives within Patience and is served. At ten times the load
	// that a node can serve, the queue then holds the work of ten times Patience, which is
	// half of the 5 s after which clients give up.
	Patience = 250 * time.Millisecond
	// burst limits how long a queue may grow like that: for burst times Patience. A queue
	// that has not been empty for longer is no burst. Then it is closed while it holds more
	// work than is served within Patience, so that new requests are answered before clients
	// give up.
	burst = 4
	// longest is how many times Patience a new request may wait before it is refused.
	longest = 12
	// GuestPart is the part of a crowd of clients without a key: 100 greedy addresses leave 1/500.
	GuestPart = 16
	// maxWaiting is the maximum number of new requests that wait. It allows a burst of a
	// thousand calls of one account.
	maxWaiting = 2048
)

// queue holds the waiters of one account. The pool serves its queues round robin, one
// waiter at a time.
type queue struct {
	account  string
	resuming []*waiter // work that has started before; served first
	starting []*waiter // new requests
	since    time.Time // since when starting has not been empty
	started  int       // number of requests started since then
}

// start counts a request that starts. Older requests count less: from time to time, the
// counted period and the count are halved.
func (q *queue) start(patience time.Duration) {
	q.started++
	if age := time.Since(q.since); age > 4*burst*patience {
		q.since, q.started = q.since.Add(age/2), q.started/2
	}
}

// isLong reports whether the queue is closed to new requests.
func (q *queue) isLong(patience time.Duration) bool {
	if len(q.starting) == 0 {
		return false
	}
	if age := time.Since(q.since); age > burst*patience {
		return time.Duration(len(q.starting))*age > time.Duration(q.started)*patience
	}
	return time.Since(q.starting[0].since) > patience
}

type waiter struct {
	since  time.Time
	served chan struct{} // closed when the waiter has its unit
}

// Wait takes one unit for an account as soon as there is room, and returns a function that
// gives it back. It returns the error of ctx if ctx ends first.
func (p *Pool) Wait(ctx context.Context, account string) (release func(), err error) {
	return p.wait(ctx, account, nil)
}

// wait takes one unit for an account when its turn has come. If places is not nil, the
// unit is for a new request: wait takes one of the places while it waits, and returns
// ErrBusy if waiting would take too long.
func (p *Pool) wait(ctx context.Context, account string, places *Pool) (release func(), err error) {
	release = sync.OnceFunc(func() { p.Release(account, 1) })
	w, err := p.join(account, places)
	if w == nil || err != nil {
		return release, err
	}
	var late <-chan time.Time
	if places != nil {
		defer places.Release(account, 1)
		timer := time.NewTimer(longest * p.patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.served:
		return release, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
		err = ErrBusy
	}
	if !p.quit(account, w, err) { // served at the same moment
		release()
	}
	return nil, err
}

// join takes one unit for an account and returns nil. If there is no room, it joins the
// account's queue instead and returns the waiter.
func (p *Pool) join(account string, places *Pool) (*waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.queueOf(account)
	if i < 0 && p.room(account) > 0 {
		p.used++
		p.held[account]++
		return nil, nil
	}
	w := &waiter{since: time.Now(), served: make(chan struct{})}
	if places != nil && (i >= 0 && p.queues[i].isLong(p.patience) || !places.Take(account, 1)) {
		p.refused++
		return nil, ErrBusy
	}
	if i < 0 {
		i = len(p.queues)
		p.queues = append(p.queues, &queue{account: account})
	}
	if q := p.queues[i]; places != nil {
		if len(q.starting) == 0 {
			q.since, q.started = w.since, 0
		}
		q.starting = append(q.starting, w)
	} else {
		q.resuming = append(q.resuming, w)
	}
	return w, nil
}

// queueOf returns the index of the account's queue, or -1.
func (p *Pool) queueOf(account string) int {
	return slices.IndexFunc(p.queues, func(q *queue) bool { return q.account == account })
}

// quit removes a waiter from its queue. It returns false if the waiter has been served.
func (p *Pool) quit(account string, w *waiter, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.served:
		return false
	default:
	}
	if errors.Is(err, ErrBusy) {
		p.refused++
	}
	i := p.queueOf(account)
	isW := func(other *waiter) bool { return other == w }
	q := p.queues[i]
	q.resuming, q.starting = slices.DeleteFunc(q.resuming, isW), slices.DeleteFunc(q.starting, isW)
	if len(q.resuming)+len(q.starting) == 0 {
		p.queues = slices.Delete(p.queues, i, i+1)
	}
	return true
}

// serve gives free units to waiters: one to each queue whose account has room, in turn.
func (p *Pool) serve() {
	for {
		i := slices.IndexFunc(p.queues, func(q *queue) bool { return p.room(q.account) > 0 })
		if i < 0 {
			return
		}
		q := p.queues[i]
		from := &q.resuming
		if len(q.resuming) == 0 {
			from = &q.starting
			q.start(p.patience)
		}
		next := (*from)[0]
		*from = (*from)[1:]
		p.used++
		p.held[q.account]++
		close(next.served)
		p.queues = slices.Delete(p.queues, i, i+1)
		if len(q.resuming)+len(q.starting) > 0 {
			p.queues = append(p.queues, q)
		}
	}
}

// Turns limits the work on the processors. Work that has started waits for the turn of
// its account. New requests are refused at once if they would wait for longer than
// clients do.
type Turns struct {
	*Pool
	waiting *Pool // places for new requests
}

// perProcessor is the number of turns for each processor. Most holders of a turn wait for
// a commit, which they share, so there must be many more turns than processors. But all
// holders compete for the processors: with 16 instead of 8, a node serves 5 % more calls,
// and requests of other accounts take two to three times as long during a flood.
const perProcessor = 8

// NewTurns returns the turns of a node. patience is usually Patience.
func NewTurns(patience time.Duration) *Turns {
	turns := &Turns{Pool: NewPool(int64(perProcessor * runtime.GOMAXPROCS(0))), waiting: NewPool(maxWaiting)}
	turns.patience = patience
	return turns
}

// ForGuests returns turns for clients without a key, apart from the turns of accounts: one for each
// processor.
func (t *Turns) ForGuests() *Turns {
	guests := &Turns{Pool: NewPool(int64(runtime.GOMAXPROCS(0))), waiting: NewCrowd(maxWaiting, GuestPart)}
	guests.patience = t.patience
	return guests
}

// Begin waits for a turn for a new request. It returns ErrBusy at once if that would take
// too long.
func (t *Turns) Begin(ctx context.Context, account string) (*Turn, error) {
	release, err := t.wait(ctx, account, t.waiting)
	if err != nil {
		return nil, err
	}
	return &Turn{pool: t.Pool, account: account, release: release}, nil
}

// Later returns a turn for work that must not be refused. The work starts without a turn,
// and takes one after its first pause.
func (t *Turns) Later(account string) *Turn {
	return &Turn{pool: t.Pool, account: account}
}

// Turn is a turn that was taken. Its holder gives it back while it waits for something
// other than a processor. The methods of a nil Turn do nothing. A Turn is safe for
// concurrent use.
type Turn struct {
	pool    *Pool
	account string

	mu      sync.Mutex
	pauses  int    // number of pauses that have not ended
	release func() // nil without a turn
}

// Pause releases the turn until Resume.
func (t *Turn) Pause() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pauses++
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// Resume ends a pause. If it was the last one, Resume waits for a turn. It returns the
// error of ctx if ctx ends first; then the caller has no turn.
func (t *Turn) Resume(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	t.pauses--
	last := t.pauses == 0
	t.mu.Unlock()
	if !last {
		return nil
	}
	release, err := t.pool.Wait(ctx, t.account)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pauses > 0 || t.release != nil { // another goroutine has paused again, or taken a turn meanwhile
		release()
		return nil
	}
	t.release = release
	return nil
}

// End releases the turn permanently. Calling it again has no effect.
func (t *Turn) End() { t.Pause() }
