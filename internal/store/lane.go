package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"time"
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
	// conflictTries is how often a deadlocked transaction runs again.
	conflictTries = 5
)

// lane commits writes one after the other. Those that wait at the same moment
// share one commit, which is what makes full durability fast: the disk is
// synced once for all of them. Writes of one organization always take the same
// lane, so a node never waits for its own row locks.
type lane struct {
	store *Store
	queue chan *write
	ended chan struct{}
}

// write is a change of one organization and its jobs that waits for its turn.
type write struct {
	organization string   // whose row is to be locked; "" for none
	others       []string // more of them, of the same lane
	job          *Job     // a job to be taken out, if its node still has it
	keys         []string // idempotency keys to be looked up
	jobs         int      // how many jobs it touches, at least 1
	// apply decides, from what was read. It may run more than once, each time on a
	// fresh transaction, and must change nothing when it returns nil to refuse.
	apply func(context.Context, *work) error
	err   chan error
}

var laneSeed = maphash.MakeSeed()

func (s *Store) startLanes() {
	for range s.dialect.lanes {
		l := &lane{store: s, queue: make(chan *write, laneQueue), ended: make(chan struct{})}
		s.lanes = append(s.lanes, l)
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
func (s *Store) write(w write) error {
	w.err = make(chan error, 1)
	s.lanes[s.laneOf(w.organization)].queue <- &w
	return <-w.err
}

func (s *Store) laneOf(organization string) int {
	return int(maphash.String(laneSeed, organization) % uint64(len(s.lanes)))
}

// execute is write for a change that concerns no organization's row.
func (s *Store) execute(apply func(context.Context, *tx) error) error {
	return s.write(write{apply: func(ctx context.Context, w *work) error { return apply(ctx, w.tx) }})
}

// exec runs one statement that concerns no organization's row, and returns how many
// rows it changed.
func (s *Store) exec(text string, args ...any) (changed int64, err error) {
	err = s.execute(func(ctx context.Context, tx *tx) (err error) {
		changed, err = tx.exec(ctx, text, args...)
		return err
	})
	return changed, err
}

func (l *lane) run() {
	defer close(l.ended)
	for first := range l.queue {
		batch, jobs := []*write{first}, first.jobs
		for jobs < laneBatch && len(l.queue) > 0 {
			w, open := <-l.queue
			if !open {
				break
			}
			batch = append(batch, w)
			jobs += max(1, w.jobs)
		}
		l.commit(batch)
	}
}

// commit applies the whole batch in one transaction. When one write fails, all
// of them run again, each in its own, so that none suffers for another.
func (l *lane) commit(batch []*write) {
	err := l.store.commitTogether(batch...)
	if err == nil || len(batch) == 1 {
		reply(batch, err)
		return
	}
	for i, w := range batch {
		if l.store.unavailable(err) {
			reply(batch[i:], err)
			return
		}
		err = l.store.commitTogether(w)
		w.err <- err
	}
}

func reply(batch []*write, err error) {
	for _, w := range batch {
		w.err <- err
	}
}

// commitTogether applies writes in one transaction.
func (s *Store) commitTogether(writes ...*write) error {
	return s.transact(func(ctx context.Context, tx *tx) error {
		work := newWork(tx)
		if err := work.read(ctx, writes); err != nil {
			return err
		}
		for _, w := range writes {
			if err := w.apply(ctx, work); err != nil {
				return err
			}
		}
		return work.store(ctx)
	})
}

// unavailable reports whether the database is in trouble rather than the write.
func (s *Store) unavailable(err error) bool {
	return errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) || s.dialect.unavailable(err)
}

// transact runs apply in a transaction of its own and commits it. What lost a
// conflict with another transaction, or its connection before the commit, is tried
// again.
func (s *Store) transact(apply func(context.Context, *tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTime)
	defer cancel()
	for try := 1; ; try++ {
		err := s.transactOnce(ctx, apply)
		again := s.dialect.retryable(err) || s.dialect.disconnected(err)
		if err == nil || try == conflictTries || !again || errors.Is(err, ErrUnknownOutcome) {
			return err
		}
	}
}

func (s *Store) transactOnce(ctx context.Context, apply func(context.Context, *tx) error) error {
	if err := s.statements.prepare(ctx, s.queue); err != nil {
		return err
	}
	conn, err := s.queue.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	begun, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := apply(ctx, &tx{Tx: begun, conn: conn, dialect: s.dialect, clock: s.clock, statements: s.statements, bound: map[string]*sql.Stmt{}}); err != nil {
		_ = begun.Rollback() // the error that matters is the one we have
		return err
	}
	err = begun.Commit()
	if err == nil {
		return nil
	}
	if s.dialect.fatal(err) {
		// Going on could acknowledge what a later crash takes back.
		panic(fmt.Sprintf("the disk failed to sync a commit: %v", err))
	}
	if s.dialect.notCommitted(err) {
		_ = begun.Rollback()
		return fmt.Errorf("commit: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}
