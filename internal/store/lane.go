package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"time"

	"earshot"
)

// ErrUnknownOutcome is returned when the connection broke during a commit: the
// change may have happened or not. Only a read can tell.
var ErrUnknownOutcome = errors.New("the outcome of the commit is unknown")

const (
	// laneBatch is how many jobs a batch may touch; it bounds how long the first
	// write waits for the last.
	laneBatch = 1000
	// laneQueue is deep enough that callers block on their answer, not on it.
	laneQueue = 4096
	// transactionTime is far above what a batch takes; past it the database is
	// as good as down.
	transactionTime = 10 * time.Second
	// lockedTime is how long an organization is taken for locked by others after it was
	// found so, unless it is found free.
	lockedTime = 10 * time.Second
	// conflictTries is how often a transaction runs that was deadlocked or lost its connection:
	// more often than a pool has connections, of which a server that was restarted closed all.
	conflictTries = lookupConnections + 2
)

// lane commits writes one after the other. Those that wait at the same moment
// share one commit, which is what makes full durability fast: the disk is
// synced once for all of them. Writes of one organization always take the same
// lane, so a node never waits for its own row locks.
//
// A row may be locked from outside, by an operator's transaction or a node that hangs.
// Then PostgreSQL ends the whole transaction of a lane after its lock_timeout, and
// only the organization of that row must suffer for it:
//
//   - What is free of the batch is committed at once, by locking with SKIP LOCKED.
//   - What was skipped is tried organization by organization, since some may only
//     have been busy on another node for a moment. Those whose lock times out again
//     fail, and are remembered as locked.
//   - As long as they are, other writes of the lane are committed without them, so
//     that nobody waits, and their own are tried with SKIP LOCKED: the first that
//     finds the row free is committed, and the organization is as any other.
type lane struct {
	part   *part
	queue  chan *write
	ended  chan struct{}
	locked map[string]time.Time // organizations that others have locked, and until when that is believed
}

// unit is what the writes of one transaction share: it locks and reads the rows that they need,
// and stores what they decide.
type unit interface {
	// transaction is the transaction that they share.
	transaction() *tx
	// lock locks the rows of organizations, in the order of their ids. With skip it leaves out
	// rows that another transaction has locked.
	lock(ctx context.Context, ids []string, skip bool) error
	// isLocked reports whether this transaction has locked an organization's row.
	isLocked(id string) bool
	// read reads what the writes need.
	read(ctx context.Context, writes []*write) error
	// store writes what was decided.
	store(ctx context.Context) error
}

// write is a change of one organization that waits for its turn.
type write struct {
	organization string          // whose row is to be locked; "" for none
	others       []string        // more of them, of the same lane
	choose       func() []string // gives organization and others just before the transaction; nil where they are fixed
	optional     bool            // it does what it can when some of its organizations are locked by others
	across       bool            // it also concerns nodes or keys
	jobs         int             // how many jobs it touches, at least 1
	needs        any             // what its unit reads before it is applied
	// apply decides, from what was read. It may run more than once, each time on a
	// fresh transaction, and must change nothing when it returns nil to refuse.
	apply func(context.Context, unit) error
	// done is called with the outcome, by the lane: it must not wait.
	done func(error)
}

var laneSeed = maphash.MakeSeed()

func (p *part) startLanes() {
	for range p.dialect.lanes {
		l := &lane{part: p, queue: make(chan *write, laneQueue), ended: make(chan struct{}), locked: map[string]time.Time{}}
		p.lanes = append(p.lanes, l)
		go l.run()
	}
}

func (l *lane) stop() {
	close(l.queue)
	<-l.ended
}

// write puts a write in its lane and returns once it is committed, in a
// transaction shared with whatever else waits. It does not take the caller's
// context: a write that has been queued must be seen to its end, since its effect
// outlives the caller.
func (p *part) write(w write) error {
	outcome := make(chan error, 1)
	w.done = func(err error) { outcome <- err }
	p.writeLater(&w)
	return <-outcome
}

// writeLater puts a write in its lane, which calls done once it is committed.
func (p *part) writeLater(w *write) {
	done := w.done
	w.done = func(err error) { done(p.lookups.explained(err)) }
	p.laneOf(w.organization).queue <- w
}

func (p *part) laneOf(organization string) *lane {
	return p.lanes[maphash.String(laneSeed, organization)%uint64(len(p.lanes))]
}

// execute is write for a change that concerns no organization's row.
func (p *part) execute(apply func(context.Context, *tx) error) error {
	return p.write(write{apply: func(ctx context.Context, u unit) error { return apply(ctx, u.transaction()) }})
}

// exec runs one statement that concerns no organization's row, and returns how many
// rows it changed.
func (p *part) exec(text string, args ...any) (changed int64, err error) {
	err = p.execute(func(ctx context.Context, tx *tx) (err error) {
		changed, err = tx.exec(ctx, text, args...)
		return err
	})
	return changed, err
}

func (l *lane) run() {
	defer close(l.ended)
	for first := range l.queue {
		batch, jobs := []*write{first}, first.jobs
		// Those whose writes were just committed may be about to bring the next: they come first.
		runtime.Gosched()
		for jobs < laneBatch && len(l.queue) > 0 {
			w, open := <-l.queue
			if !open {
				break
			}
			batch = append(batch, w)
			jobs += max(1, w.jobs)
		}
		for _, w := range batch {
			w.setOrganizations()
		}
		slices.SortStableFunc(batch, claimsLast)
		l.commit(batch)
	}
}

// claimsLast orders writes so that a claim finds the slots free that the others give back.
func claimsLast(a, b *write) int {
	switch {
	case (a.choose != nil) == (b.choose != nil):
		return 0
	case a.choose != nil:
		return 1
	}
	return -1
}

// setOrganizations has the write choose its organizations, if it does.
func (w *write) setOrganizations() {
	if w.choose == nil {
		return
	}
	w.organization, w.others = "", nil
	if chosen := w.choose(); len(chosen) > 0 {
		w.organization, w.others = chosen[0], chosen[1:]
	}
}

// commit applies the batch, and those writes of it apart whose organization is known
// to be locked by others.
func (l *lane) commit(batch []*write) {
	maps.DeleteFunc(l.locked, func(_ string, until time.Time) bool { return time.Now().After(until) })
	free, apart := batch, []*write(nil)
	if len(l.locked) > 0 {
		free = nil
		for _, w := range batch {
			if l.isLocked(w) {
				apart = append(apart, w)
			} else {
				free = append(free, w)
			}
		}
	}
	if err := l.commitBatch(free); err != nil {
		l.commitUnlocked(free)
	}
	if len(apart) == 0 {
		return
	}
	skipped, locked, err := l.part.commitSome(apart, nil, true)
	for _, w := range apart {
		switch {
		case err != nil:
			w.done(err)
		case slices.Contains(skipped, w):
			l.locked[w.organization] = time.Now().Add(lockedTime)
			w.done(errLocked(w.organization))
		default:
			w.done(nil)
		}
		if err == nil && !slices.Contains(locked, w.organization) {
			delete(l.locked, w.organization)
		}
	}
}

// commitBatch applies a batch in one transaction. When one write fails, all of them
// run again, each in its own, so that none suffers for another. It returns an error,
// and has answered nobody, when a row was locked by others.
func (l *lane) commitBatch(batch []*write) error {
	if len(batch) == 0 {
		return nil
	}
	_, _, err := l.part.commitSome(batch, l.locked, false)
	if l.part.dialect.locked(err) {
		return err
	}
	if err == nil || len(batch) == 1 {
		reply(batch, err)
		return nil
	}
	for i, w := range batch {
		if l.part.unavailable(err) {
			reply(batch[i:], err)
			return nil
		}
		if err = errLocked(w.organization); !l.isLocked(w) {
			_, _, err = l.part.commitSome([]*write{w}, l.locked, false)
		}
		if l.part.dialect.locked(err) {
			l.locked[w.organization] = time.Now().Add(lockedTime)
			err = errLocked(w.organization)
		}
		w.done(err)
	}
	return nil
}

// isLocked tells whether a write needs an organization that others have locked.
func (l *lane) isLocked(w *write) bool {
	_, locked := l.locked[w.organization]
	return locked && !w.optional
}

// commitUnlocked applies what it can of a batch that met a locked row: what is free
// first, then one organization after the other.
func (l *lane) commitUnlocked(batch []*write) {
	skipped, locked, err := l.part.commitSome(batch, l.locked, true)
	if err != nil {
		reply(batch, err)
		return
	}
	for _, w := range batch {
		if !slices.Contains(skipped, w) {
			w.done(nil)
		}
	}
	for _, id := range locked {
		own := slices.DeleteFunc(slices.Clone(skipped), func(w *write) bool { return w.organization != id })
		if len(own) == 0 { // only an optional write asked for it
			own = []*write{{organization: id, apply: func(context.Context, unit) error { return nil }, done: func(error) {}}}
		}
		if l.commitBatch(own) != nil {
			l.locked[id] = time.Now().Add(lockedTime)
			reply(own, errLocked(id))
		}
	}
}

func errLocked(organization string) error {
	return &earshot.Error{
		Code: earshot.CodeServerUnavailable, Message: "the organization cannot be changed at the moment, try again",
		Err: fmt.Errorf("another transaction has locked organization %s", organization),
	}
}

func reply(batch []*write, err error) {
	for _, w := range batch {
		w.done(err)
	}
}

// commitTogether applies writes in one transaction.
func (p *part) commitTogether(writes ...*write) error {
	_, _, err := p.commitSome(writes, nil, false)
	return err
}

// commitSome applies writes in one transaction, and does not ask for the organizations
// in without, which only optional writes may name. With skip it does not wait for
// organizations that others have locked either: it returns them, and the writes that
// it left out because of them.
func (p *part) commitSome(writes []*write, without map[string]time.Time, skip bool) (skipped []*write, locked []string, err error) {
	ids, way := organizationsOf(writes, without), p
	if slices.ContainsFunc(writes, func(w *write) bool { return w.across }) {
		way = p.withKeys()
	}
	err = way.transact(func(ctx context.Context, tx *tx) error {
		unit := p.newUnit(tx)
		free := writes
		if skip {
			if err := unit.lock(ctx, ids, skip); err != nil {
				return err
			}
			free, skipped, locked = leaveOut(unit, writes, ids)
		}
		err := tx.together(ctx, func() error {
			if !skip {
				if err := unit.lock(ctx, ids, skip); err != nil {
					return err
				}
			}
			return unit.read(ctx, free)
		})
		if err != nil {
			return fmt.Errorf("lock organizations and read: %w", err)
		}
		for _, w := range free {
			if err := w.apply(ctx, unit); err != nil {
				return err
			}
		}
		return unit.store(ctx)
	})
	return skipped, locked, err
}

// leaveOut divides writes into those whose organizations are locked by this transaction
// and those that ask for one which another has locked, and names these organizations.
func leaveOut(u unit, writes []*write, ids []string) (free, skipped []*write, locked []string) {
	locked = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return u.isLocked(id) })
	for _, one := range writes {
		if !one.optional && slices.Contains(locked, one.organization) {
			skipped = append(skipped, one)
		} else {
			free = append(free, one)
		}
	}
	return free, skipped, locked
}

// organizationsOf are the organizations that writes ask for, in the order in which
// they are locked.
func organizationsOf(writes []*write, without map[string]time.Time) []string {
	asked := map[string]bool{}
	for _, w := range writes {
		asked[w.organization] = true
		for _, id := range w.others {
			asked[id] = true
		}
	}
	delete(asked, "") // those that need none
	for id := range without {
		delete(asked, id)
	}
	return slices.Sorted(maps.Keys(asked))
}

// errMoved is returned when rows that a transaction has locked are not found when it changes
// them: on Citus, their shard was moved to another worker meanwhile.
var errMoved = errors.New("the shard was moved during the transaction")

// unavailable reports whether the database is in trouble rather than the write.
func (p *part) unavailable(err error) bool {
	return errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) || p.dialect.unavailable(err)
}

// transact runs apply in a transaction of its own and commits it. What lost a
// conflict with another transaction, or its connection before the commit, is tried
// again.
func (p *part) transact(apply func(context.Context, *tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTime)
	defer cancel()
	for try := 1; ; try++ {
		err := p.transactOnce(ctx, apply)
		again := p.dialect.retryable(err) || p.dialect.disconnected(err) || errors.Is(err, errMoved)
		if err == nil || try == conflictTries || !again || errors.Is(err, ErrUnknownOutcome) {
			return err
		}
	}
}

func (p *part) transactOnce(ctx context.Context, apply func(context.Context, *tx) error) error {
	conn, err := p.queue.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	tx, err := p.begin(ctx, conn)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer tx.free()
	if err = apply(ctx, tx); err == nil {
		err = tx.commit(ctx)
	}
	if err != nil {
		tx.rollback(ctx)
	}
	return err
}
