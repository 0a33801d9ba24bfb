package job

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"earshot/internal/store"
	"earshot/internal/trace"
)

const (
	// workerIdle is how long a worker waits for another task before it ends. A goroutine
	// that is used again has already grown the stack that tasks need.
	workerIdle = time.Second
	// quickTask is how long a task takes at most that waits for nothing.
	quickTask = 200 * time.Microsecond
)

// order is a task for a worker.
type order struct {
	node *incarnation
	job  *store.Job
	ctx  context.Context // the node's, with the span of the task
	span trace.Span
}

// workers perform tasks: as many goroutines as there are tasks that wait for something.
//
// While tasks wait for nothing, half of the processors do them, one after the other. Were all
// of them busy with such tasks, nobody would look at the network until these are done:
// Go looks there when a processor has nothing else to do, or else every 10 ms. Claims and
// settlements would come to a halt meanwhile.
type workers struct {
	perform  func(*order)
	maxBrisk int64 // how many may be brisk at a time
	orders   chan *order
	closed   chan struct{} // closed when there will be no more orders
	group    sync.WaitGroup

	idle  atomic.Int64 // those that wait for an order, or are about to
	quick atomic.Bool  // the last task was a quick one, so the next is expected to be
	brisk atomic.Int64 // those that perform a task of which that is expected
}

func newWorkers(perform func(*order)) *workers {
	return &workers{perform: perform, maxBrisk: max(1, int64(runtime.GOMAXPROCS(0)/2)), orders: make(chan *order, claimBatch), closed: make(chan struct{})}
}

// give has an order performed.
func (w *workers) give(o *order) {
	w.orders <- o
	w.another()
}

// close waits for the workers, after all orders are performed.
func (w *workers) close() {
	close(w.closed)
	w.group.Wait()
}

// another makes sure that somebody takes the next order: a worker that is idle, or brisk ones,
// which will soon be.
func (w *workers) another() {
	if w.brisk.Load() < w.maxBrisk && w.idle.CompareAndSwap(0, 1) {
		w.group.Go(w.work)
	}
}

// work performs tasks, one after the other, while there are any. It begins as an idle
// worker.
func (w *workers) work() {
	patience := time.NewTimer(workerIdle)
	defer patience.Stop()
	noted := make(chan struct{}, 1)
	mistaken := time.AfterFunc(time.Hour, func() { // the task is not a quick one
		w.quick.Store(false)
		w.brisk.Add(-1)
		w.another()
		noted <- struct{}{}
	})
	mistaken.Stop() // until a task is expected to be quick
	for {
		var o *order
		if w.brisk.Load() < w.maxBrisk { // or else others are enough
			o = w.next(patience)
		}
		quick := o != nil && w.quick.Load()
		if quick {
			w.brisk.Add(1)
			mistaken.Reset(quickTask)
		}
		w.idle.Add(-1)
		if len(w.orders) > 0 {
			w.another()
		}
		if o == nil {
			return
		}
		began := time.Now()
		w.perform(o)
		w.quick.Store(time.Since(began) < quickTask)
		w.idle.Add(1)
		switch {
		case !quick:
		case mistaken.Stop():
			w.brisk.Add(-1)
		default:
			<-noted
		}
	}
}

// next waits for an order. It returns nil when patience ends or there will be none.
func (w *workers) next(patience *time.Timer) *order {
	select {
	case o := <-w.orders:
		return o
	default:
	}
	patience.Reset(workerIdle)
	select {
	case o := <-w.orders:
		return o
	case <-patience.C:
	case <-w.closed:
	}
	return nil
}
