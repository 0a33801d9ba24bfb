// Package job runs jobs: it admits them, has their answers bought and settles them. It also takes
// over the jobs of nodes that died.
//
//	runner.go    configuration, start and stop
//	call.go      synchronous calls, from admission to settlement
//	task.go      tasks: submission and execution
//	batch.go     submission of batches, and retries
//	schedule.go  when this node claims tasks, and how many
//	settle.go    settlement of jobs
//	node.go      heartbeats and dead nodes
//	upkeep.go    deletion of expired rows and captures
//	metrics.go   Prometheus metrics of jobs and attempts
//	span.go      spans of jobs and attempts
package job

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream/capture"
)

// Config is the configuration of a Runner.
type Config struct {
	Store     *store.Store
	Orgs      *orgs.Store
	Catalogue *provider.Catalogue
	Desk      *purchase.Desk // buys the answers
	Captures  capture.Store
	Kept      capture.Store // of pages for the operator; may be nil
	// Host names the machine in the list of nodes.
	Host    string
	Log     *slog.Logger
	Metrics *Metrics
	Tracer  *trace.Tracer // may be nil
	// Workers is how many tasks of one organization the node runs at once. All
	// organizations together may run twice as many. With 0 the node accepts tasks but
	// runs none.
	Workers int
	// Turns limits CPU work of jobs and of all other work on the node. Nil means that
	// there is no other work.
	Turns *share.Turns
	// Planned is called after the delivery of a webhook was planned. May be nil.
	Planned func()

	// Tidy stores and deletes rows of accounts, at intervals and at the end. May be nil.
	Tidy func(ctx context.Context, now time.Time) error

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

	outbound *outbound.Store
	parked   atomic.Int64 // tasks that wait for a vendor and have no worker

	mu      sync.Mutex
	tasks   map[string]*order // tasks that this node performs, parked ones included, by id
	running sync.WaitGroup    // jobs and their cleanup
}

func (r *Runner) collectLate(ctx context.Context, now time.Time) error {
	if r.Workers == 0 {
		return nil
	}
	return r.Desk.CollectLate(ctx, now)
}

// NewRunner registers this node with the store.
func NewRunner(cfg Config) (*Runner, error) {
	if cfg.Retention == 0 {
		cfg.Retention = 24 * time.Hour
	}
	if cfg.Turns == nil {
		cfg.Turns = share.NewTurns(share.Patience)
	}
	r := &Runner{Config: cfg, wake: make(chan struct{}, 1), announcements: make(chan struct{}, 1), outbound: outbound.New(cfg.Store.DB), places: share.NewPool(int64(2 * cfg.Workers)), tasks: map[string]*order{}}
	if err := r.register(); err != nil {
		return nil, err
	}
	return r, nil
}

// Run writes heartbeats, starts tasks and deletes expired data until ctx ends. Then it
// removes the node from the list of nodes.
func (r *Runner) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	r.beaten.Store(&heartbeat{at: time.Now()}) // the registration counts as a heartbeat
	group.Go(func() error { return r.stayAlive(ctx) })
	group.Go(func() error { return r.endDead(ctx) })
	group.Go(func() error { return r.notifyOthers(ctx) })
	if r.Workers > 0 {
		group.Go(func() error { return r.schedule(ctx) })
		group.Go(func() error { return r.listenToOthers(ctx) })
	}
	group.Go(func() error { return r.every(ctx, tidyEvery, r.tidy) })
	group.Go(func() error { return r.every(ctx, r.Desk.LateEvery, r.collectLate) })
	group.Go(func() error { return r.every(ctx, sweepEvery, r.dropOrphans) })
	err := group.Wait()
	r.workers.Wait()
	if lost := r.tidyAccounts(context.WithoutCancel(ctx), r.Store.Now()); lost != nil {
		r.Log.Warn("storing the last use of keys and share links failed", "error", lost)
	}
	if left := r.Store.StopNode(r.node.Load().id); left != nil {
		r.Log.Warn("removing the node from the list failed; other nodes will declare it dead", "error", left)
	}
	return err
}

// Drain makes the runner refuse new jobs.
func (r *Runner) Drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining.Store(true)
	r.Desk.Drain()
}

// Node returns the id of this node.
func (r *Runner) Node() string { return r.node.Load().id }

// Draining reports whether Drain was called.
func (r *Runner) Draining() bool { return r.draining.Load() }

// Stop waits for the running jobs. When ctx ends, Stop ends the remaining jobs. Drain
// must have been called.
func (r *Runner) Stop(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.node.Load().end(purchase.ErrStopping)
		<-done
	}
	r.node.Load().end(purchase.ErrStopping)
	r.Desk.Stop(ctx)
}

// enter counts a job as running. It returns false if the runner drains.
func (r *Runner) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining.Load() {
		return false
	}
	r.running.Add(1)
	return true
}
