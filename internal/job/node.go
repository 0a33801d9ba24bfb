package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/store"
)

const (
	// beatEvery is a fifth of the time after which a silent node is declared dead, so
	// that a few lost beats do no harm.
	beatEvery = 2 * time.Second
	// beatsBeforeTakeover is how many beats in a row a node must have made before
	// it declares others dead. After an outage of the database every node looks
	// dead for a moment.
	beatsBeforeTakeover = 5
	// silentTime is how old the last heartbeat of a node that is ready may be. Others
	// take it for dead then.
	silentTime = 5 * beatEvery
)

// incarnation is the node under one id. Jobs belong to an incarnation: when it is
// declared dead they are no longer this node's, which goes on under a new id.
type incarnation struct {
	id  string
	ctx context.Context
	end context.CancelCauseFunc
}

func (r *Runner) register() error {
	id, err := r.Store.RegisterNode(r.Host, r.available(), r.Store.Now())
	if err != nil {
		return fmt.Errorf("join the nodes: %w", err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	r.node.Store(&incarnation{id: id, ctx: ctx, end: end})
	return nil
}

// available is how many tasks the node runs at once. One that drains runs no more of them, so others
// need not leave any to it.
func (r *Runner) available() int {
	if r.Draining() {
		return 0
	}
	return r.Workers
}

// join gives a context that ends with ctx or with the incarnation.
func (i *incarnation) join(ctx context.Context) (joined context.Context, leave func()) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(i.ctx, func() { cancel(context.Cause(i.ctx)) })
	return joined, func() { stop(); cancel(nil) }
}

// stayAlive sends heartbeats, and releases the jobs of dead nodes.
func (r *Runner) stayAlive(ctx context.Context) error {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	// Release what the last run of this process left behind. Other nodes are declared
	// dead only by a node that has been alive for a while.
	r.releaseLost(ctx)
	r.beaten.Store(&heartbeat{at: time.Now()}) // joining the nodes was one
	clockError := r.reportClock("")
	for beats := 0; ; {
		err := r.beat()
		r.noteBeat(err)
		clockError = r.reportClock(clockError)
		switch {
		case err != nil:
			beats = 0
			r.Log.Warn("the node could not say that it is alive", "error", err)
		case beats < beatsBeforeTakeover:
			beats++
		default:
			if err := r.Store.DeclareDead(); err != nil {
				r.Log.Error("looking for dead nodes failed", "error", err)
			}
			r.releaseLost(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// heartbeat is when the node last said that it is alive, and whether the last try
// failed.
type heartbeat struct {
	at     time.Time
	failed error
}

func (r *Runner) noteBeat(err error) {
	beat := heartbeat{at: time.Now(), failed: err}
	if err != nil {
		beat.at = r.beaten.Load().at
	}
	r.beaten.Store(&beat)
}

// reportClock logs when the clock stops or begins to be trusted again. It returns what
// is wrong with it now.
func (r *Runner) reportClock(before string) (now string) {
	ahead, err := r.Store.ClockStatus()
	if err != nil {
		now = err.Error()
	}
	switch {
	case now != "" && before == "":
		r.Log.Error("this node is not ready, and neither ends a billing cycle nor deletes anything by its clock", "error", now, "ahead", ahead)
	case now == "" && before != "":
		r.Log.Info("the clock is trusted again")
	}
	return now
}

// Ready returns why the node should not be given work, or nil. A node that cannot
// write its heartbeat can write nothing else.
func (r *Runner) Ready() error {
	if beat := r.beaten.Load(); beat != nil { // it runs
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

// beat sends one heartbeat, or begins a new incarnation when the node was declared
// dead.
func (r *Runner) beat() error {
	node := r.node.Load()
	err := r.Store.Beat(node.id, r.available())
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	r.Log.Warn("the node was silent for too long and lost its jobs")
	node.end(errDeclared)
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
		r.Log.Warn("released jobs of nodes that are gone", "jobs", n)
	}
}
