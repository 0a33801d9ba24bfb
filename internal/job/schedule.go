package job

import (
	"context"
	"time"

	"earshot/internal/store"
)

const (
	// claimBatch is how many tasks one claim starts at most: enough that its cost
	// is shared, few enough that nodes share the work.
	claimBatch = 500
	// pollEvery is how long a wake-up that was lost can delay a task.
	pollEvery = time.Second
	// announceEvery bounds how often a node calls others.
	announceEvery = 20 * time.Millisecond
)

// schedule starts tasks while this node has workers for them.
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

// fill claims tasks until there is none left or no worker free.
func (r *Runner) fill(ctx context.Context) {
	if !r.enter() { // from here on what is claimed is waited for
		return
	}
	defer r.running.Done()
	for ctx.Err() == nil && !r.Draining() {
		free := r.free()
		if free == 0 {
			return
		}
		node, asked := r.node.Load(), min(free, claimBatch)
		began := time.Now()
		started, handled, err := r.Store.Claim(ctx, node.id, asked, r.Store.Now())
		r.Metrics.claimed(began, started)
		for _, job := range started {
			r.start(node, job)
		}
		if err != nil {
			r.Log.Error("claiming tasks failed", "error", err)
			return
		}
		if handled > len(started) && r.Planned != nil {
			r.Planned() // some ended for want of credits
		}
		if handled == asked && r.free() == 0 {
			r.announce() // another node may have workers
		}
		if handled == 0 {
			return
		}
	}
}

// rescue takes over tasks of lost nodes, and runs those that this node owns
// without knowing it: a claim that broke off may have been committed.
func (r *Runner) rescue(ctx context.Context) {
	if !r.enter() {
		return
	}
	defer r.running.Done()
	node, known := r.node.Load(), r.performing()
	if node.ctx.Err() != nil { // it was declared dead: the next incarnation will
		return
	}
	owned, err := r.Store.Owned(ctx, node.id)
	if err != nil {
		r.Log.Error("looking for this node's tasks failed", "error", err)
		return
	}
	for _, job := range owned {
		if !known[job.ID] {
			r.Log.Warn("found a task of a claim that broke off", "job", job.ID)
			r.start(node, job)
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
		r.Log.Warn("took over tasks of nodes that are gone", "tasks", len(adopted))
		for _, job := range adopted {
			r.start(node, job)
		}
	}
}

// workerRest is how long a worker waits for another task before it goes. One that
// stays has the stack that tasks need.
const workerRest = time.Second

// order is a task for a worker.
type order struct {
	node *incarnation
	job  store.Job
}

// start gives a task to a worker. Only schedule calls it, and counts itself as
// running meanwhile.
func (r *Runner) start(node *incarnation, job store.Job) {
	r.mu.Lock()
	r.tasks[job.ID] = true
	r.mu.Unlock()
	r.running.Add(1)
	select {
	case r.orders <- order{node, job}:
	default: // nobody rests
		r.workers.Go(func() { r.work(order{node, job}) })
	}
}

// work performs tasks, one after the other, while there are any.
func (r *Runner) work(o order) {
	rest := time.NewTimer(workerRest)
	defer rest.Stop()
	for {
		r.perform(o.node, o.job)
		r.mu.Lock()
		delete(r.tasks, o.job.ID)
		r.mu.Unlock()
		r.running.Done()
		r.rouse()
		rest.Reset(workerRest)
		select {
		case o = <-r.orders:
		case <-rest.C:
			return
		case <-r.closed:
			return
		}
	}
}

// free is how many workers have nothing to do.
func (r *Runner) free() int { return max(0, r.Workers-r.Busy()) }

// Busy is how many tasks the node runs.
func (r *Runner) Busy() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tasks)
}

// performing are the tasks that workers have.
func (r *Runner) performing() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := make(map[string]bool, len(r.tasks))
	for id := range r.tasks {
		known[id] = true
	}
	return known
}

// Wake says that there may be a task to start: here, or on another node when no
// worker is free.
func (r *Runner) Wake() {
	if r.free() > 0 {
		r.rouse()
	} else {
		r.announce()
	}
}

// rouse has the scheduler look again.
func (r *Runner) rouse() { signal(r.wake) }

// announce calls the other nodes.
func (r *Runner) announce() { signal(r.calls) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is enough
	}
}

// callOthers tells other nodes of tasks that this one cannot start, not too often.
func (r *Runner) callOthers(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.calls:
		}
		if err := r.Store.Notify(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("other nodes were not told of a task", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(announceEvery):
		}
	}
}

// hearOthers has the scheduler look again when another node calls.
func (r *Runner) hearOthers(ctx context.Context) error {
	for wait := announceEvery; ; wait = min(2*wait, pollEvery) {
		err := r.Store.Listen(ctx, func() {
			wait = announceEvery
			r.rouse()
		})
		if ctx.Err() != nil || err == nil {
			return nil //nolint:nilerr // to be stopped is no failure
		}
		r.Log.Warn("the node does not hear others and tries again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}
