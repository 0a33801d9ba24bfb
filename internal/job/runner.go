// Package job runs jobs: they are admitted, make their attempts and are settled. It
// also does what is needed so that no job is lost when a node is.
//
//	runner.go    the runner: what it needs, how it starts and stops
//	call.go      a synchronous call from admission to settlement
//	task.go      a task: submitted, and run once it is this node's
//	schedule.go  which tasks this node starts, and when
//	attempt.go   the attempts of a job and the waits between them
//	ticket.go    tasks that wait for a vendor's answer
//	settle.go    the end of a job
//	node.go      being one node among several
//	upkeep.go    removing what has expired
//	metrics.go   counters of jobs and attempts
//	span.go      jobs and attempts in traces
package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/provider/health"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// Config is what a Runner needs.
type Config struct {
	Store     *store.Store
	Catalogue *provider.Catalogue
	Upstreams *upstream.Routes
	Vendors   provider.Vendors
	Captures  capture.Store
	// CaptureURL is the address below which captures are served.
	CaptureURL string
	// Host names the machine in the list of nodes.
	Host    string
	Log     *slog.Logger
	Metrics *Metrics
	Tracer  *trace.Tracer // may be nil
	Health  *health.Watch

	// Backoff are the waits between attempts; one attempt more than waits is
	// made. Nil means 1, 2, 4 and 8 s, by the contract.
	Backoff []time.Duration
	// AttemptTime is how long one attempt may take. 0 means 120 s: assistants
	// that search the web have been seen to need 90.
	AttemptTime time.Duration
	// Workers is how many tasks of one organization the node runs at once, and half
	// of how many it runs of all; with 0 it accepts tasks without running any.
	Workers int
	// Turns are taken by jobs as by all other work. Nil means that there is no other.
	Turns *share.Turns
	// Planned is called when a webhook has been planned. May be nil.
	Planned func()

	// Retention is how long finished jobs are kept, from their creation. 0 means
	// 24 h.
	Retention time.Duration
}

// Runner runs jobs on this node. It is safe for concurrent use.
type Runner struct {
	Config
	node     atomic.Pointer[incarnation]
	draining atomic.Bool
	beaten   atomic.Pointer[heartbeat] // nil until Run

	wake          chan struct{} // makes the scheduler look for tasks
	announcements chan struct{} // makes the node notify the others

	workers sync.WaitGroup // goroutines that perform tasks
	places  *share.Pool    // for tasks

	parked   atomic.Int64 // tasks that wait for a vendor and have no worker
	spending spending

	mu      sync.Mutex
	tasks   map[string]bool // ids of the tasks that this node performs, parked ones included
	running sync.WaitGroup  // jobs, and what is left to tidy up after them
}

// ErrStopping is why a node that stops refuses work.
var ErrStopping = errors.New("the node is stopping")

var errDeclared = errors.New("the node was declared dead")

// NewRunner registers this node with the store.
func NewRunner(cfg Config) (*Runner, error) {
	if cfg.Backoff == nil {
		cfg.Backoff = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	}
	if cfg.AttemptTime == 0 {
		cfg.AttemptTime = 120 * time.Second
	}
	if cfg.Retention == 0 {
		cfg.Retention = 24 * time.Hour
	}
	if cfg.Turns == nil {
		cfg.Turns = share.NewTurns(share.Patience)
	}
	r := &Runner{Config: cfg, wake: make(chan struct{}, 1), announcements: make(chan struct{}, 1), places: share.NewPool(int64(2 * cfg.Workers)), tasks: map[string]bool{}}
	if err := r.register(); err != nil {
		return nil, err
	}
	r.Upstreams.LimitSpending(r.Spent)
	return r, nil
}

// Run keeps the node alive, starts tasks and keeps the store tidy until ctx ends,
// then takes the node off the list.
func (r *Runner) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.stayAlive(ctx) })
	group.Go(func() error { return r.notifyOthers(ctx) })
	if r.Workers > 0 {
		group.Go(func() error { return r.schedule(ctx) })
		group.Go(func() error { return r.listenToOthers(ctx) })
	}
	group.Go(func() error { return r.every(ctx, tidyEvery, r.tidy) })
	group.Go(func() error { return r.every(ctx, lateEvery, r.collectLate) })
	group.Go(func() error { return r.every(ctx, spendingEvery, r.readSpending) })
	group.Go(func() error { return r.every(ctx, sweepEvery, r.dropOrphans) })
	err := group.Wait()
	r.workers.Wait()
	if lost := r.Store.WriteKeyUses(); lost != nil {
		r.Log.Warn("the last uses of keys were not noted", "error", lost)
	}
	if left := r.Store.StopNode(r.node.Load().id); left != nil {
		r.Log.Warn("the node stays on the list until it is found dead", "error", left)
	}
	return err
}

// Drain refuses new jobs from now on.
func (r *Runner) Drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining.Store(true)
}

// Draining tells whether Drain was called.
func (r *Runner) Draining() bool { return r.draining.Load() }

// Stop waits for the running jobs and ends those that are left when ctx does.
// Drain must have been called.
func (r *Runner) Stop(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.node.Load().end(ErrStopping)
		<-done
	}
	r.node.Load().end(ErrStopping)
}

// enter counts a job as running. It returns false when the runner drains.
func (r *Runner) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining.Load() {
		return false
	}
	r.running.Add(1)
	return true
}
