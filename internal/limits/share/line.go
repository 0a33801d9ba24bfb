package share

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ErrBusy is returned to who would wait too long.
var ErrBusy = errors.New("others wait already, for longer than clients do")

const (
	// Patience is how long the first of a line waits before nobody else may join it. A
	// burst comes within it and is served; of ten times the load that a node can bear,
	// as much joins as it serves in ten times Patience, half of the 5 s after which
	// clients give up.
	Patience = 250 * time.Millisecond
	// burst is for how many times as long a line may grow like that. One that has not
	// been empty for longer is no burst: it may only be as long as what is served within
	// Patience, so that who joins is answered soon, and clients do not leave before.
	burst = 4
	// longest is how many times as long one waits who has joined, and is refused after
	// all.
	longest = 12
	// maxWaiting is how much that is new waits at most: a burst of a thousand calls of
	// one account.
	maxWaiting = 2048
)

// line is an account that waits. Lines are served in turn, one of each.
type line struct {
	account     string
	first, then []*waiter // those that go on with something, and those that begin
	standing    time.Time // since when there is somebody who begins
	begun       int       // how many have begun since
}

// begin counts one that begins. What was long ago counts less.
func (l *line) begin(patience time.Duration) {
	l.begun++
	if stood := time.Since(l.standing); stood > 4*burst*patience {
		l.standing, l.begun = l.standing.Add(stood/2), l.begun/2
	}
}

// isLong tells whether nobody else should begin.
func (l *line) isLong(patience time.Duration) bool {
	if len(l.then) == 0 {
		return false
	}
	if stood := time.Since(l.standing); stood > burst*patience {
		return time.Duration(len(l.then))*stood > time.Duration(l.begun)*patience
	}
	return time.Since(l.then[0].since) > patience
}

type waiter struct {
	since  time.Time
	served chan struct{} // closed when it has what it waits for
}

// Wait takes one for an account as soon as there is room, with a function that gives
// it back. Returns what ctx ended with when that came first.
func (p *Pool) Wait(ctx context.Context, account string) (release func(), err error) {
	return p.wait(ctx, account, nil)
}

// wait takes one for an account when its turn has come. Where places is given, it is
// for something new: it takes one of them while it waits and returns ErrBusy where
// that would take too long.
func (p *Pool) wait(ctx context.Context, account string, places *Pool) (release func(), err error) {
	release = sync.OnceFunc(func() { p.Give(account, 1) })
	w, err := p.join(account, places)
	if w == nil || err != nil {
		return release, err
	}
	var late <-chan time.Time
	if places != nil {
		defer places.Give(account, 1)
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

// join takes one for an account, or a place in its line.
func (p *Pool) join(account string, places *Pool) (*waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.lines, func(l *line) bool { return l.account == account })
	if i < 0 && p.room(account) > 0 {
		p.used++
		p.held[account]++
		return nil, nil
	}
	w := &waiter{since: time.Now(), served: make(chan struct{})}
	if places != nil {
		if i >= 0 && p.lines[i].isLong(p.patience) || !places.Take(account, 1) {
			p.refuse(account)
			return nil, ErrBusy
		}
	}
	if i < 0 {
		i = len(p.lines)
		p.lines = append(p.lines, &line{account: account})
	}
	if l := p.lines[i]; places != nil {
		if len(l.then) == 0 {
			l.standing, l.begun = w.since, 0
		}
		l.then = append(l.then, w)
	} else {
		l.first = append(l.first, w)
	}
	return w, nil
}

// quit takes a waiter out of its line. It returns false when it has been served.
func (p *Pool) quit(account string, w *waiter, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.served:
		return false
	default:
	}
	if errors.Is(err, ErrBusy) {
		p.refuse(account)
	}
	i := slices.IndexFunc(p.lines, func(l *line) bool { return l.account == account })
	is := func(other *waiter) bool { return other == w }
	l := p.lines[i]
	l.first, l.then = slices.DeleteFunc(l.first, is), slices.DeleteFunc(l.then, is)
	if len(l.first)+len(l.then) == 0 {
		p.lines = slices.Delete(p.lines, i, i+1)
	}
	return true
}

// serve gives what has become free to those who wait: one to each line that has room,
// in turn.
func (p *Pool) serve() {
	for {
		i := slices.IndexFunc(p.lines, func(l *line) bool { return p.room(l.account) > 0 })
		if i < 0 {
			return
		}
		l := p.lines[i]
		from := &l.first
		if len(l.first) == 0 {
			from = &l.then
			l.begin(p.patience)
		}
		next := (*from)[0]
		*from = (*from)[1:]
		p.used++
		p.held[l.account]++
		close(next.served)
		p.lines = slices.Delete(p.lines, i, i+1)
		if len(l.first)+len(l.then) > 0 {
			p.lines = append(p.lines, l)
		}
	}
}

// Turns are what work on the processors takes a turn of. What has begun goes on when
// its account's turn comes. What is new is refused at once when it would wait for
// longer than clients do.
type Turns struct {
	*Pool
	waiting *Pool // places for what is new
}

// perProcessor is how many turns there are for each processor. Most who have one wait
// for a commit, which they share, so there must be many more of them than processors;
// and each makes all others wait for its own work, so there must not be too many.
const perProcessor = 16

// NewTurns makes the turns of a node. patience is usually Patience.
func NewTurns(patience time.Duration) *Turns {
	turns := &Turns{Pool: NewPool(int64(perProcessor * runtime.GOMAXPROCS(0))), waiting: NewPool(maxWaiting)}
	turns.patience = patience
	return turns
}

// Begin waits for a turn to begin something. Returns ErrBusy at once where that would
// take too long.
func (t *Turns) Begin(ctx context.Context, account string) (*Turn, error) {
	release, err := t.wait(ctx, account, t.waiting)
	if err != nil {
		return nil, err
	}
	return &Turn{pool: t.Pool, account: account, release: release}, nil
}

// Later is a turn of something that is not refused and has just begun: it is taken
// after the first pause.
func (t *Turns) Later(account string) *Turn {
	return &Turn{pool: t.Pool, account: account, release: func() {}}
}

// Turn is one that was taken. Whoever has it gives it back while it waits for
// something else than a processor. A nil one is had by nobody, and works. It is safe
// for concurrent use.
type Turn struct {
	pool    *Pool
	account string

	mu      sync.Mutex
	pauses  int // under way
	release func()
}

// Pause gives the turn back until Resume.
func (t *Turn) Pause() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pauses++
	t.release()
}

// Resume ends a pause, and waits for a turn when it was the last. Returns what ctx
// ended with when that came first: then there is no turn.
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
	if t.pauses > 0 { // again, by another goroutine
		release()
		return nil
	}
	t.release = release
	return nil
}

// End gives the turn back for good. Calling it again changes nothing.
func (t *Turn) End() { t.Pause() }
