package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"earshot"
)

// ErrUnknownOutcome is returned when the connection broke during a commit: the change may or
// may not have happened. Only a read can tell.
var ErrUnknownOutcome = errors.New("the outcome of the commit is unknown")

const (
	// writerBatch limits the jobs that a batch changes, and so the time that its first write waits.
	writerBatch = 1000
	// writerQueue is large enough that callers rarely block on adding a write.
	writerQueue = 4096
	// TransactionTime is far longer than a batch takes. A database that needs longer is treated as
	// unavailable.
	TransactionTime = 10 * time.Second
	// lockedTime is how long a row is assumed to be locked by others after a lock timeout, unless
	// a write finds it free.
	lockedTime = 10 * time.Second
	// conflictTries limits the runs of a transaction that lost a conflict or its connection. It is larger
	// than a pool, since a restarted server has closed all connections of the pool.
	conflictTries = lookupConnections + 2
)

// Writer commits writes one batch after the other. All writes that are waiting share one
// commit, which makes full durability fast: the disk is synced once for all of them. The writes of
// one organization always use the same writer, so a node never waits for its own row locks.
//
// A row may be locked by others: by an operator's transaction or a hanging node. Then PostgreSQL
// aborts the transaction of a writer after lock_timeout. Only the organization of that row may be
// affected:
//
//   - The writer commits the writes to unlocked rows at once, with SKIP LOCKED.
//   - It tries the skipped writes again, one organization after the other, since another node may
//     have locked some rows only briefly. Writes whose lock times out again fail, and their
//     organization is remembered as locked.
//   - While an organization is remembered as locked, the writer commits other writes without it, so
//     that they need not wait. It tries writes to the locked organization with SKIP LOCKED. When one finds
//     the row free, the organization is treated normally again.
type Writer struct {
	Shard  *Shard
	Queue  chan *Write
	ended  chan struct{}
	locked map[string]time.Time // organizations that others have locked; the time when to forget it
}

// Unit is the state that the writes of a transaction share. It locks and reads the rows that they
// need, and stores their decisions.
type Unit interface {
	// Transaction returns the transaction that the writes share.
	Transaction() *Tx
	// Lock locks the rows of organizations in the order of their ids. With skip it omits rows that
	// another transaction has locked.
	Lock(ctx context.Context, ids []string, skip bool) error
	// IsLocked reports whether this transaction has locked an organization's row.
	IsLocked(id string) bool
	// Read reads the rows that the writes need.
	Read(ctx context.Context, writes []*Write) error
	// Store writes all decisions. On PostgreSQL, statements without results are sent with the commit.
	Store(ctx context.Context) error
}

// Write is a change to an organization that waits for its writer.
type Write struct {
	Organization string          // the row to lock; "" for none
	others       []string        // more organizations of the same writer
	Choose       func() []string // returns the organizations just before the transaction; nil if they are fixed
	Optional     bool            // it can be applied without organizations that others have locked
	Across       bool            // it also reads or writes nodes or keys
	Jobs         int             // number of jobs that it changes; 0 counts as 1
	Needs        any             // tells the unit which rows to read
	// Apply decides, based on the rows that were read. It may run more than once, each time in a
	// new transaction. If it returns nil to refuse, it must not have changed anything.
	Apply func(context.Context, Unit) error
	// Done is called with the outcome, by the writer. It must not block.
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

// Write queues a write and returns after its commit, in a transaction shared with all waiting
// writes. It takes no context: a queued write must be completed, since its effect outlives the
// caller.
func (p *Shard) Write(w Write) error {
	outcome := make(chan error, 1)
	w.Done = func(err error) { outcome <- err }
	p.WriteLater(&w)
	return <-outcome
}

// WriteLater queues a write. The writer calls Done after the commit.
func (p *Shard) WriteLater(w *Write) {
	done := w.Done
	w.Done = func(err error) { done(p.Lookups.explained(err)) }
	p.WriterOf(w.Organization).Queue <- w
}

// WriterOf returns the writer that commits the writes of an organization.
func (p *Shard) WriterOf(organization string) *Writer {
	return p.writers[maphash.String(writerSeed, organization)%uint64(len(p.writers))]
}

// Execute is Write for a change that locks no organization.
func (p *Shard) Execute(apply func(context.Context, *Tx) error) error {
	return p.Write(Write{Apply: func(ctx context.Context, u Unit) error { return apply(ctx, u.Transaction()) }})
}

// Run runs one statement that locks no organization and returns the number of changed rows.
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
		// Let callers whose writes were just committed add their next writes first.
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

// claimsLast sorts claims behind the other writes, so that they find the slots that these free.
func claimsLast(a, b *Write) int {
	switch {
	case (a.Choose != nil) == (b.Choose != nil):
		return 0
	case a.Choose != nil:
		return 1
	}
	return -1
}

// setOrganizations calls Choose, if it is set.
func (w *Write) setOrganizations() {
	if w.Choose == nil {
		return
	}
	w.Organization, w.others = "", nil
	if chosen := w.Choose(); len(chosen) > 0 {
		w.Organization, w.others = chosen[0], chosen[1:]
	}
}

// commit applies a batch. Writes to organizations that are known to be locked by others get a
// transaction of their own.
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
			l.Shard.done(w, err)
		case slices.Contains(skipped, w):
			l.locked[w.Organization] = time.Now().Add(lockedTime)
			l.Shard.done(w, errLocked(w.Organization))
		default:
			l.Shard.done(w, nil)
		}
		if err == nil && !slices.Contains(locked, w.Organization) {
			delete(l.locked, w.Organization)
		}
	}
}

// commitBatch applies a batch in one transaction. If a write fails, it applies the others without
// it; if more than maxFailed fail, each in a separate transaction. If a row is locked by others,
// commitBatch returns an error without answering any write.
func (l *Writer) commitBatch(batch []*Write) error {
	if len(batch) == 0 {
		return nil
	}
	_, _, err := l.Shard.commitSome(batch, l.locked, false)
	if l.Shard.Dialect.Locked(err) {
		return err
	}
	if err == nil || len(batch) == 1 {
		l.reply(batch, err)
		return nil
	}
	var failed []*Write // applied again behind the others, after which they may succeed
	for len(batch) > 1 && len(failed) < maxFailed {
		one, ok := errors.AsType[*failedError](err)
		if !ok || l.Shard.unavailable(err) {
			break
		}
		failed = append(failed, one.write)
		batch = slices.DeleteFunc(slices.Clone(batch), func(w *Write) bool { return w == one.write })
		if _, _, err = l.Shard.commitSome(batch, l.locked, false); err == nil {
			l.reply(batch, nil)
			batch = nil
			break
		}
	}
	batch = append(batch, failed...)
	for i, w := range batch {
		if l.Shard.unavailable(err) {
			l.reply(batch[i:], err)
			return nil
		}
		if err = errLocked(w.Organization); !l.isLocked(w) {
			_, _, err = l.Shard.commitSome([]*Write{w}, l.locked, false)
		}
		if l.Shard.Dialect.Locked(err) {
			l.locked[w.Organization] = time.Now().Add(lockedTime)
			err = errLocked(w.Organization)
		}
		l.Shard.done(w, err)
	}
	return nil
}

// maxFailed is the number of failed writes without which a batch is tried again.
const maxFailed = 8

// failedError is the error of a write in a transaction with others.
type failedError struct {
	error
	write *Write
}

// Unwrap returns the error of the write.
func (e *failedError) Unwrap() error { return e.error }

// isLocked reports whether a write needs an organization that others have locked.
func (l *Writer) isLocked(w *Write) bool {
	_, locked := l.locked[w.Organization]
	return locked && !w.Optional
}

// commitUnlocked applies a batch that met a locked row: first the writes to unlocked rows, then
// the others, one organization after the other.
func (l *Writer) commitUnlocked(batch []*Write) {
	skipped, locked, err := l.Shard.commitSome(batch, l.locked, true)
	if err != nil {
		l.reply(batch, err)
		return
	}
	for _, w := range batch {
		if !slices.Contains(skipped, w) {
			l.Shard.done(w, nil)
		}
	}
	for _, id := range locked {
		own := slices.DeleteFunc(slices.Clone(skipped), func(w *Write) bool { return w.Organization != id })
		if len(own) == 0 { // only an optional write needs it
			own = []*Write{{Organization: id, Apply: func(context.Context, Unit) error { return nil }, Done: func(error) {}}}
		}
		if l.commitBatch(own) != nil {
			l.locked[id] = time.Now().Add(lockedTime)
			l.reply(own, errLocked(id))
		}
	}
}

func errLocked(organization string) error {
	return &earshot.Error{
		Code: earshot.CodeServerUnavailable, Message: "the organization cannot be changed at the moment, try again",
		Err: fmt.Errorf("another transaction has locked organization %s", organization),
	}
}

func (l *Writer) reply(batch []*Write, err error) {
	for _, w := range batch {
		l.Shard.done(w, err)
	}
}

// CommitTogether applies writes in one transaction.
func (p *Shard) CommitTogether(writes ...*Write) error {
	_, _, err := p.commitSome(writes, nil, false)
	return err
}

// commitSome applies writes in one transaction. It does not lock the organizations in without,
// which only optional writes may name. With skip it does not wait for locked organizations. It
// returns these organizations, and the writes that it skipped because of them.
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
			free, skipped, locked = splitLocked(unit, writes, ids)
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
			if err := p.apply(ctx, w, unit); err != nil {
				return &failedError{err, w}
			}
		}
		tx.waiting = true // send the statements together with the commit
		return unit.Store(ctx)
	})
	return skipped, locked, err
}

// ErrPanicked means that the function Apply of a write panicked, which is a bug.
var ErrPanicked = errors.New("the change panicked")

// apply calls Apply. If it panics, only this write fails.
func (p *Shard) apply(ctx context.Context, w *Write, unit Unit) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(w, v)
			err = ErrPanicked
		}
	}()
	return w.Apply(ctx, unit)
}

// done calls Done. If it panics, the other writes still get their results.
func (p *Shard) done(w *Write, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(w, v)
		}
	}()
	w.Done(err)
}

func (p *Shard) logPanic(w *Write, v any) {
	p.log.Error("a change of the database panicked", "organization", w.Organization, "panic", v, "stack", string(debug.Stack()))
}

// splitLocked divides writes into those that can be applied and those whose organization another
// transaction has locked. It also returns these organizations.
func splitLocked(u Unit, writes []*Write, ids []string) (free, skipped []*Write, locked []string) {
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

// organizationsOf returns the organizations of writes in the order in which they are locked.
func organizationsOf(writes []*Write, without map[string]time.Time) []string {
	asked := map[string]bool{}
	for _, w := range writes {
		asked[w.Organization] = true
		for _, id := range w.others {
			asked[id] = true
		}
	}
	delete(asked, "") // of writes without an organization
	for id := range without {
		delete(asked, id)
	}
	return slices.Sorted(maps.Keys(asked))
}

// errMoved is returned when a transaction no longer finds rows that it has locked. On Citus
// this means that their shard was moved to another worker meanwhile.
var errMoved = errors.New("the shard was moved during the transaction")

// unavailable reports whether an error is due to the database rather than the write.
func (p *Shard) unavailable(err error) bool {
	return errors.Is(err, ErrUnknownOutcome) || p.Dialect.Unavailable(err)
}

// Transact runs apply in a separate transaction and commits it. It runs apply again if the
// transaction lost a conflict, or its connection before the commit.
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

// TransactOnce is Transact without retries.
func (p *Shard) TransactOnce(ctx context.Context, apply func(context.Context, *Tx) error) error {
	conn, err := p.Queue.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { _ = conn.Close() }() // returns it to the pool
	tx, err := p.begin(ctx, conn)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer tx.free()
	committed := false
	defer func() {
		if !committed { // also after a panic: the connection cannot be closed in a transaction
			tx.rollback(ctx)
		}
	}()
	if err = apply(ctx, tx); err == nil {
		err = tx.commit(ctx)
	}
	committed = err == nil
	return err
}
