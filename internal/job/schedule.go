package job

import (
	"context"
	"maps"
	"time"

	"earshot/internal/limits/share"
	"earshot/internal/store"
)

const (
	// claimBatch is the maximum number of tasks of one claim: large enough to spread the
	// cost of a claim, small enough to spread the tasks over nodes.
	claimBatch = 1000
	// pollEvery is the interval of looking for tasks. A lost wake-up delays a task by at
	// most this time.
	pollEvery = time.Second
	// announceEvery limits how often a node notifies others.
	announceEvery = 20 * time.Millisecond
)

// schedule starts tasks while this node has free workers.
func (r *Runner) schedule(ctx context.Context) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	rescue := time.NewTicker(beatEvery)
	defer rescue.Stop()
	r.rescue(ctx)
	for {
		r.fill(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-poll.C:
		case <-rescue.C:
			r.rescue(ctx)
		}
	}
}

// fill claims tasks until the queue is empty or all workers are busy.
func (r *Runner) fill(ctx context.Context) {
	if !r.enter() { // Stop waits for the tasks that fill claims
		return
	}
	defer r.running.Done()
	for ctx.Err() == nil && !r.Draining() {
		free := r.free()
		if free == 0 {
			return
		}
		node, limit := r.node.Load(), min(free, claimBatch)
		if node.ctx.Err() != nil { // declared dead: the next incarnation claims
			return
		}
		began := time.Now()
		started, handled, err := r.Store.Claim(ctx, node.id, store.ClaimLimits{
			Tasks: limit, Full: len(r.places.Full()), Room: func(organization string) int { return int(r.places.Room(organization)) },
		}, r.Store.Now())
		r.Metrics.claimed(began, started)
		for _, job := range started {
			r.start(node, job, began)
		}
		if err != nil {
			r.Log.Error("claiming tasks failed", "error", err)
			return
		}
		if handled > len(started) && r.Planned != nil {
			r.Planned() // some tasks may have failed for lack of credits
		}
		if handled == limit && r.free() == 0 {
			r.announce() // another node may have workers
		}
		if handled == 0 {
			return
		}
	}
}

// rescue takes over tasks of dead nodes. It also starts tasks that the database assigned to
// this node without its knowledge: a claim that returned an error may have been committed.
func (r *Runner) rescue(ctx context.Context) {
	if !r.enter() {
		return
	}
	defer r.running.Done()
	node, known := r.node.Load(), r.runningTasks()
	if node.ctx.Err() != nil { // declared dead: the next incarnation does it
		return
	}
	owned, err := r.Store.Owned(ctx, node.id)
	if err != nil {
		r.Log.Error("looking for this node's tasks failed", "error", err)
		return
	}
	for _, job := range owned {
		if known[job.ID] == nil {
			r.Log.Warn("found a task of a claim that returned an error", "job", job.ID)
			r.start(node, job, time.Time{})
		}
	}
	for free := r.free(); free > 0; free = r.free() {
		adopted, err := r.Store.Adopt(ctx, node.id, min(free, claimBatch))
		if err != nil {
			r.Log.Error("taking over tasks failed", "error", err)
		}
		if len(adopted) == 0 {
			return
		}
		r.Log.Warn("took over tasks of dead nodes", "tasks", len(adopted))
		for _, job := range adopted {
			r.start(node, job, time.Time{})
		}
	}
}

// start performs a task in a new goroutine. Only schedule calls it, which counts itself as
// running meanwhile. claimed is when the claim of the task began, or zero without a claim.
func (r *Runner) start(node *incarnation, job *store.Job, claimed time.Time) {
	r.run(&order{node: node, job: job}, claimed)
}

// run performs a task that this node owns.
func (r *Runner) run(o *order, claimed time.Time) {
	job := o.job
	o.ctx, o.span = r.traceTask(o.node.ctx, job, claimed)
	r.mu.Lock()
	r.tasks[job.ID] = o
	r.mu.Unlock()
	r.places.ForceTake(job.Organization, 1)
	r.running.Add(1)
	r.workers.Go(func() { r.perform(o) })
}

// finished releases the worker of a task. err is why the task failed, or nil.
func (r *Runner) finished(o *order, err error) {
	endSpan(o.span, err)
	r.forget(o)
	r.places.Release(o.job.Organization, 1)
	r.running.Done()
	r.wakeScheduler()
}

// forget removes an order from the tasks that this node performs, unless the node has adopted the
// task again meanwhile, as another order.
func (r *Runner) forget(o *order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tasks[o.job.ID] == o {
		delete(r.tasks, o.job.ID)
	}
}

// free returns the number of idle workers.
func (r *Runner) free() int { return int(r.places.Free()) }

// Places returns the pool of workers, which limits the share of each organization.
func (r *Runner) Places() *share.Pool { return r.places }

// Busy returns how many tasks the node runs, without parked tasks.
func (r *Runner) Busy() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, len(r.tasks)-int(r.parked.Load()))
}

// runningTasks returns the tasks that this node performs, parked ones included, by id.
func (r *Runner) runningTasks() map[string]*order {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.tasks)
}

// Wake makes this node look for tasks to start, or the other nodes if all workers of this
// node are busy.
func (r *Runner) Wake() {
	if r.free() > 0 {
		r.wakeScheduler()
	} else {
		r.announce()
	}
}

// wakeScheduler makes the scheduler look for tasks.
func (r *Runner) wakeScheduler() { signal(r.wake) }

// announce notifies the other nodes that there may be a task to start.
func (r *Runner) announce() { signal(r.announcements) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is already waiting
	}
}

// notifyOthers notifies other nodes of tasks that this node cannot start, at most once per
// announceEvery.
func (r *Runner) notifyOthers(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.announcements:
		}
		if err := r.Store.Notify(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("notifying other nodes of a task failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(announceEvery):
		}
	}
}

// listenToOthers wakes the scheduler when another node announces a task.
func (r *Runner) listenToOthers(ctx context.Context) error {
	for wait := announceEvery; ; wait = min(2*wait, pollEvery) {
		err := r.Store.Listen(ctx, func() {
			wait = announceEvery
			r.wakeScheduler()
		})
		if ctx.Err() != nil || err == nil {
			return nil //nolint:nilerr // the end of ctx is not an error
		}
		r.Log.Warn("listening for tasks of other nodes failed, trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}
