package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/purchase"
	"earshot/internal/store"
)

const (
	// beatEvery is the interval of heartbeats: a fifth of the time after which a silent
	// node is declared dead, so that a few lost heartbeats do no harm.
	beatEvery = 2 * time.Second
	// beatsBeforeTakeover is how many heartbeats in a row a node must have written
	// before it declares others dead. After an outage of the database, every node looks
	// dead for a moment.
	beatsBeforeTakeover = 5
	// silentTime is how old the last heartbeat of a ready node may be. After that, other
	// nodes declare it dead.
	silentTime = 5 * beatEvery
)

// incarnation is this node under one id. Jobs belong to an incarnation. When it is
// declared dead, the node loses its jobs and continues under a new id.
type incarnation struct {
	id  string
	ctx context.Context
	end context.CancelCauseFunc
}

func (r *Runner) register() error {
	id, err := r.Store.RegisterNode(r.Host, r.available(), r.Store.Now())
	if err != nil {
		return fmt.Errorf("register this node: %w", err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	r.node.Store(&incarnation{id: id, ctx: ctx, end: end})
	return nil
}

// available returns how many tasks the node can run at once. It is 0 while the node
// drains, so that other nodes do not leave tasks to it.
func (r *Runner) available() int {
	if r.Draining() {
		return 0
	}
	return r.Workers
}

// join returns a context that ends when ctx or the incarnation ends.
func (i *incarnation) join(ctx context.Context) (joined context.Context, leave func()) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(i.ctx, func() { cancel(context.Cause(i.ctx)) })
	return joined, func() { stop(); cancel(nil) }
}

// stayAlive writes heartbeats. It does nothing else, so that a shard that does not answer
// cannot delay them.
func (r *Runner) stayAlive(ctx context.Context) error {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	clockError := r.reportClock("")
	for {
		err := r.beat()
		r.noteBeat(err)
		clockError = r.reportClock(clockError)
		if err != nil {
			r.Log.Warn("writing the heartbeat failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// heartbeat is the time of the last heartbeat that was written, the number of heartbeats
// since one failed, and the error of the last try.
type heartbeat struct {
	at     time.Time
	inRow  int
	failed error
}

func (r *Runner) noteBeat(err error) {
	before := r.beaten.Load()
	beat := heartbeat{at: time.Now(), inRow: before.inRow + 1}
	if err != nil {
		beat = heartbeat{at: before.at, failed: err}
	}
	r.beaten.Store(&beat)
}

// endDead declares silent nodes dead and releases the jobs of dead nodes. At the start it
// only releases the jobs that the last run of this process left behind.
func (r *Runner) endDead(ctx context.Context) error {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		r.releaseLost(ctx)
		for alive := false; !alive; alive = r.beaten.Load().inRow > beatsBeforeTakeover {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
		if err := r.Store.DeclareDead(); err != nil {
			r.Log.Error("looking for dead nodes failed", "error", err)
		}
	}
}

// reportClock logs when the clock stops being trusted and when it is trusted again. It
// returns the current problem, or "".
func (r *Runner) reportClock(before string) (now string) {
	ahead, err := r.Store.ClockStatus()
	if err != nil {
		now = err.Error()
	}
	switch {
	case now != "" && before == "":
		r.Log.Error("the clock is not trusted: this node is not ready, ends no billing cycle and deletes nothing", "error", now, "ahead", ahead)
	case now == "" && before != "":
		r.Log.Info("the clock is trusted again")
	}
	return now
}

// NodeID returns the current id of this node, or the nil id before Run.
func (r *Runner) NodeID() string {
	if node := r.node.Load(); node != nil {
		return node.id
	}
	return uuid.Nil.String()
}

// Ready returns why the node should not get requests, or nil. A node that cannot write
// its heartbeat cannot write anything else.
func (r *Runner) Ready() error {
	if beat := r.beaten.Load(); beat != nil { // nil before Run
		err := beat.failed
		if silent := time.Since(beat.at); err == nil && silent > silentTime {
			err = fmt.Errorf("the last heartbeat was %s ago", silent)
		}
		if err != nil {
			return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database cannot be written to", Err: err}
		}
	}
	if _, err := r.Store.ClockStatus(); err != nil {
		return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: err.Error(), Err: err}
	}
	return nil
}

// beat writes one heartbeat. If the node was declared dead, beat begins a new
// incarnation.
func (r *Runner) beat() error {
	node := r.node.Load()
	err := r.Store.Beat(node.id, r.available())
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	r.Log.Warn("the node was silent for too long and lost its jobs")
	node.end(purchase.ErrDeclared)
	return r.register()
}

func (r *Runner) releaseLost(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := r.Store.ReleaseLost(ctx, r.Store.Now())
		if err != nil {
			r.Log.Error("releasing lost jobs failed", "error", err)
			return
		}
		if n == 0 {
			return
		}
		r.Log.Warn("released jobs of dead nodes", "jobs", n)
	}
}
