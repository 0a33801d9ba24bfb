// Package job runs jobs: it admits them, makes attempts and settles them. It also takes
// over the jobs of nodes that died.
//
//	runner.go    configuration, start and stop
//	call.go      synchronous calls, from admission to settlement
//	task.go      tasks: submission and execution
//	batch.go     submission of batches, and retries
//	schedule.go  when this node claims tasks, and how many
//	attempt.go   the attempts of a job and the waits between them
//	ticket.go    tasks that wait for a vendor's answer
//	settle.go    settlement of jobs
//	shadow.go    asks a second upstream, to compare answers
//	spending.go  what was spent on upstreams today
//	upstreams.go the list of upstreams with their state
//	node.go      heartbeats and dead nodes
//	upkeep.go    deletion of expired rows and captures
//	metrics.go   Prometheus metrics of jobs and attempts
//	span.go      spans of jobs and attempts
package job

import (
	"context"
	"encoding/json"
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
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
	"earshot/internal/telemetry/trace"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// Config is the configuration of a Runner.
type Config struct {
	Store     *store.Store
	Orgs      *orgs.Store
	Catalogue *provider.Catalogue
	Upstreams *upstream.Routes
	Vendors   provider.Vendors
	Captures  capture.Store
	Kept      capture.Store // of pages for the operator; may be nil
	// CaptureURL is the address below which captures are served.
	CaptureURL string
	// Host names the machine in the list of nodes.
	Host    string
	Log     *slog.Logger
	Metrics *Metrics
	Tracer  *trace.Tracer // may be nil
	Health  *health.Watch

	// Backoff are the waits between attempts. There is one attempt more than waits.
	// Nil means 1, 2, 4 and 8 s, as the API promises.
	Backoff []time.Duration
	// AttemptTime is how long one attempt may take. 0 means 120 s: assistants that
	// search the web have taken up to 90 s.
	AttemptTime time.Duration
	// Workers is how many tasks of one organization the node runs at once. All
	// organizations together may run twice as many. With 0 the node accepts tasks but
	// runs none.
	Workers int
	// Turns limits CPU work of jobs and of all other work on the node. Nil means that
	// there is no other work.
	Turns *share.Turns
	// Planned is called after the delivery of a webhook was planned. May be nil.
	Planned func()

	// Shadows say which requests are asked a second time, for comparison.
	Shadows []Shadow
	// Tidy stores and deletes rows of accounts, at intervals and at the end. May be nil.
	Tidy func(now time.Time) error
	// Brands returns the brands that a result names, by the rules of the job's tracker. May be nil.
	Brands func(ctx context.Context, job *store.Job, result json.RawMessage) ([]string, error)

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

	shadowing   chan struct{}   // one for each comparison under way
	shadowCtx   context.Context // of comparisons: they end when the node drains
	stopShadows context.CancelFunc

	outbound *outbound.Store
	parked   atomic.Int64 // tasks that wait for a vendor and have no worker
	spending spending

	mu      sync.Mutex
	tasks   map[string]*order // tasks that this node performs, parked ones included, by id
	running sync.WaitGroup    // jobs and their cleanup
}

// ErrStopping is the cause when a node refuses or ends jobs because it stops.
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
	r := &Runner{Config: cfg, wake: make(chan struct{}, 1), announcements: make(chan struct{}, 1), outbound: outbound.New(cfg.Store.DB), places: share.NewPool(int64(2 * cfg.Workers)), tasks: map[string]*order{}}
	if err := r.register(); err != nil {
		return nil, err
	}
	r.shadowing = make(chan struct{}, maxShadows)
	r.shadowCtx, r.stopShadows = context.WithCancel(context.Background())
	r.Upstreams.LimitSpending(r.Spent)
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
	group.Go(func() error { return r.every(ctx, lateEvery, r.collectLate) })
	group.Go(func() error { return r.every(ctx, spendingEvery, r.readSpending) })
	group.Go(func() error { return r.every(ctx, sweepEvery, r.dropOrphans) })
	err := group.Wait()
	r.workers.Wait()
	if lost := r.tidyAccounts(r.Store.Now()); lost != nil {
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
	r.stopShadows()
}

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
		r.node.Load().end(ErrStopping)
		<-done
	}
	r.node.Load().end(ErrStopping)
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
