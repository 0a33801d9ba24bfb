package engine

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
	// writerBatch is how many jobs a batch may touch; it bounds how long the first
	// write waits for the last.
	writerBatch = 1000
	// writerQueue is deep enough that callers block on their answer, not on it.
	writerQueue = 4096
	// TransactionTime is far above what a batch takes; past it the database is
	// as good as down.
	TransactionTime = 10 * time.Second
	// lockedTime is how long an organization is taken for locked by others after it was
	// found so, unless it is found free.
	lockedTime = 10 * time.Second
	// conflictTries is how often a transaction runs that was deadlocked or lost its connection:
	// more often than a pool has connections, of which a server that was restarted closed all.
	conflictTries = lookupConnections + 2
)

// Writer commits writes one after the other. Those that wait at the same moment
// share one commit, which is what makes full durability fast: the disk is
// synced once for all of them. Writes of one organization always take the same
// writer, so a node never waits for its own row locks.
//
// A row may be locked from outside, by an operator's transaction or a node that hangs.
// Then PostgreSQL ends the whole transaction of a writer after its lock_timeout, and
// only the organization of that row must suffer for it:
//
//   - What is free of the batch is committed at once, by locking with SKIP LOCKED.
//   - What was skipped is tried organization by organization, since some may only
//     have been busy on another node for a moment. Those whose lock times out again
//     fail, and are remembered as locked.
//   - As long as they are, other writes of the writer are committed without them, so
//     that nobody waits, and their own are tried with SKIP LOCKED: the first that
//     finds the row free is committed, and the organization is as any other.
type Writer struct {
	Shard  *Shard
	Queue  chan *Write
	ended  chan struct{}
	locked map[string]time.Time // organizations that others have locked, and until when that is believed
}

// Unit is what the writes of one transaction share: it locks and reads the rows that they need,
// and stores what they decide.
type Unit interface {
	// transaction is the transaction that they share.
	Transaction() *Tx
	// lock locks the rows of organizations, in the order of their ids. With skip it leaves out
	// rows that another transaction has locked.
	Lock(ctx context.Context, ids []string, skip bool) error
	// isLocked reports whether this transaction has locked an organization's row.
	IsLocked(id string) bool
	// read reads what the writes need.
	Read(ctx context.Context, writes []*Write) error
	// store writes what was decided.
	Store(ctx context.Context) error
}

// Write is a change of one organization that waits for its turn.
type Write struct {
	Organization string          // whose row is to be locked; "" for none
	others       []string        // more of them, of the same writer
	Choose       func() []string // gives organization and others just before the transaction; nil where they are fixed
	Optional     bool            // it does what it can when some of its organizations are locked by others
	Across       bool            // it also concerns nodes or keys
	Jobs         int             // how many jobs it touches, at least 1
	Needs        any             // what its unit reads before it is applied
	// apply decides, from what was read. It may run more than once, each time on a
	// fresh transaction, and must change nothing when it returns nil to refuse.
	Apply func(context.Context, Unit) error
	// done is called with the outcome, by the writer: it must not wait.
	Done func(error)
}

var writerSeed = maphash.MakeSeed()

func (p *Shard) startWriters() {
	for range p.Dialect.writers {
		l := &Writer{Shard: p, Queue: make(chan *Write, writerQueue), ended: make(chan struct{}), locked: map[string]time.Time{}}
		p.writers = append(p.writers, l)
		go l.run()
	}
}

func (l *Writer) stop() {
	close(l.Queue)
	<-l.ended
}

// write puts a write in its writer and returns once it is committed, in a
// transaction shared with whatever else waits. It does not take the caller's
// context: a write that has been queued must be seen to its end, since its effect
// outlives the caller.
func (p *Shard) Write(w Write) error {
	outcome := make(chan error, 1)
	w.Done = func(err error) { outcome <- err }
	p.WriteLater(&w)
	return <-outcome
}

// WriteLater puts a write in its writer, which calls done once it is committed.
func (p *Shard) WriteLater(w *Write) {
	done := w.Done
	w.Done = func(err error) { done(p.Lookups.explained(err)) }
	p.WriterOf(w.Organization).Queue <- w
}

// WriterOf returns the writer that commits the writes of an organization.
func (p *Shard) WriterOf(organization string) *Writer {
	return p.writers[maphash.String(writerSeed, organization)%uint64(len(p.writers))]
}

// Execute is write for a change that concerns no organization's row.
func (p *Shard) Execute(apply func(context.Context, *Tx) error) error {
	return p.Write(Write{Apply: func(ctx context.Context, u Unit) error { return apply(ctx, u.Transaction()) }})
}

// Run runs one statement that concerns no organization's row, and returns how many
// rows it changed.
func (p *Shard) Run(text string, args ...any) (changed int64, err error) {
	err = p.Execute(func(ctx context.Context, tx *Tx) (err error) {
		changed, err = tx.Run(ctx, text, args...)
		return err
	})
	return changed, err
}

func (l *Writer) run() {
	defer close(l.ended)
	for first := range l.Queue {
		batch, jobs := []*Write{first}, first.Jobs
		// Those whose writes were just committed may be about to bring the next: they come first.
		runtime.Gosched()
		for jobs < writerBatch && len(l.Queue) > 0 {
			w, open := <-l.Queue
			if !open {
				break
			}
			batch = append(batch, w)
			jobs += max(1, w.Jobs)
		}
		for _, w := range batch {
			w.setOrganizations()
		}
		slices.SortStableFunc(batch, claimsLast)
		l.commit(batch)
	}
}

// claimsLast orders writes so that a claim finds the slots free that the others give back.
func claimsLast(a, b *Write) int {
	switch {
	case (a.Choose != nil) == (b.Choose != nil):
		return 0
	case a.Choose != nil:
		return 1
	}
	return -1
}

// setOrganizations has the write choose its organizations, if it does.
func (w *Write) setOrganizations() {
	if w.Choose == nil {
		return
	}
	w.Organization, w.others = "", nil
	if chosen := w.Choose(); len(chosen) > 0 {
		w.Organization, w.others = chosen[0], chosen[1:]
	}
}

// commit applies the batch, and those writes of it apart whose organization is known
// to be locked by others.
func (l *Writer) commit(batch []*Write) {
	maps.DeleteFunc(l.locked, func(_ string, until time.Time) bool { return time.Now().After(until) })
	free, apart := batch, []*Write(nil)
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
	skipped, locked, err := l.Shard.commitSome(apart, nil, true)
	for _, w := range apart {
		switch {
		case err != nil:
			w.Done(err)
		case slices.Contains(skipped, w):
			l.locked[w.Organization] = time.Now().Add(lockedTime)
			w.Done(errLocked(w.Organization))
		default:
			w.Done(nil)
		}
		if err == nil && !slices.Contains(locked, w.Organization) {
			delete(l.locked, w.Organization)
		}
	}
}

// commitBatch applies a batch in one transaction. When one write fails, all of them
// run again, each in its own, so that none suffers for another. It returns an error,
// and has answered nobody, when a row was locked by others.
func (l *Writer) commitBatch(batch []*Write) error {
	if len(batch) == 0 {
		return nil
	}
	_, _, err := l.Shard.commitSome(batch, l.locked, false)
	if l.Shard.Dialect.Locked(err) {
		return err
	}
	if err == nil || len(batch) == 1 {
		reply(batch, err)
		return nil
	}
	for i, w := range batch {
		if l.Shard.unavailable(err) {
			reply(batch[i:], err)
			return nil
		}
		if err = errLocked(w.Organization); !l.isLocked(w) {
			_, _, err = l.Shard.commitSome([]*Write{w}, l.locked, false)
		}
		if l.Shard.Dialect.Locked(err) {
			l.locked[w.Organization] = time.Now().Add(lockedTime)
			err = errLocked(w.Organization)
		}
		w.Done(err)
	}
	return nil
}

// isLocked tells whether a write needs an organization that others have locked.
func (l *Writer) isLocked(w *Write) bool {
	_, locked := l.locked[w.Organization]
	return locked && !w.Optional
}

// commitUnlocked applies what it can of a batch that met a locked row: what is free
// first, then one organization after the other.
func (l *Writer) commitUnlocked(batch []*Write) {
	skipped, locked, err := l.Shard.commitSome(batch, l.locked, true)
	if err != nil {
		reply(batch, err)
		return
	}
	for _, w := range batch {
		if !slices.Contains(skipped, w) {
			w.Done(nil)
		}
	}
	for _, id := range locked {
		own := slices.DeleteFunc(slices.Clone(skipped), func(w *Write) bool { return w.Organization != id })
		if len(own) == 0 { // only an optional write asked for it
			own = []*Write{{Organization: id, Apply: func(context.Context, Unit) error { return nil }, Done: func(error) {}}}
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

func reply(batch []*Write, err error) {
	for _, w := range batch {
		w.Done(err)
	}
}

// CommitTogether applies writes in one transaction.
func (p *Shard) CommitTogether(writes ...*Write) error {
	_, _, err := p.commitSome(writes, nil, false)
	return err
}

// commitSome applies writes in one transaction, and does not ask for the organizations
// in without, which only optional writes may name. With skip it does not wait for
// organizations that others have locked either: it returns them, and the writes that
// it left out because of them.
func (p *Shard) commitSome(writes []*Write, without map[string]time.Time, skip bool) (skipped []*Write, locked []string, err error) {
	ids, way := organizationsOf(writes, without), p
	if slices.ContainsFunc(writes, func(w *Write) bool { return w.Across }) {
		way = p.WithKeys()
	}
	err = way.Transact(func(ctx context.Context, tx *Tx) error {
		unit := p.newUnit(tx)
		free := writes
		if skip {
			if err := unit.Lock(ctx, ids, skip); err != nil {
				return err
			}
			free, skipped, locked = leaveOut(unit, writes, ids)
		}
		err := tx.together(ctx, func() error {
			if !skip {
				if err := unit.Lock(ctx, ids, skip); err != nil {
					return err
				}
			}
			return unit.Read(ctx, free)
		})
		if err != nil {
			return fmt.Errorf("lock organizations and read: %w", err)
		}
		for _, w := range free {
			if err := w.Apply(ctx, unit); err != nil {
				return err
			}
		}
		return unit.Store(ctx)
	})
	return skipped, locked, err
}

// leaveOut divides writes into those whose organizations are locked by this transaction
// and those that ask for one which another has locked, and names these organizations.
func leaveOut(u Unit, writes []*Write, ids []string) (free, skipped []*Write, locked []string) {
	locked = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return u.IsLocked(id) })
	for _, one := range writes {
		if !one.Optional && slices.Contains(locked, one.Organization) {
			skipped = append(skipped, one)
		} else {
			free = append(free, one)
		}
	}
	return free, skipped, locked
}

// organizationsOf are the organizations that writes ask for, in the order in which
// they are locked.
func organizationsOf(writes []*Write, without map[string]time.Time) []string {
	asked := map[string]bool{}
	for _, w := range writes {
		asked[w.Organization] = true
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
func (p *Shard) unavailable(err error) bool {
	return errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) || p.Dialect.Unavailable(err)
}

// Transact runs apply in a transaction of its own and commits it. What lost a
// conflict with another transaction, or its connection before the commit, is tried
// again.
func (p *Shard) Transact(apply func(context.Context, *Tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), TransactionTime)
	defer cancel()
	for try := 1; ; try++ {
		err := p.TransactOnce(ctx, apply)
		again := p.Dialect.retryable(err) || p.Dialect.disconnected(err) || errors.Is(err, errMoved)
		if err == nil || try == conflictTries || !again || errors.Is(err, ErrUnknownOutcome) {
			return err
		}
	}
}

// TransactOnce is Transact without a second try.
func (p *Shard) TransactOnce(ctx context.Context, apply func(context.Context, *Tx) error) error {
	conn, err := p.Queue.Conn(ctx)
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
