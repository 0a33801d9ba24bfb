package purchase

import (
	"sync"

	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// flight is a paid request that this node has sent and that has not ended.
type flight struct {
	done     chan struct{} // closed when the request has ended; the fields below are set by then
	response *upstream.Response
	err      error

	mu     sync.Mutex
	ending bool // its end is being stored
	left   bool // somebody who waited for it has left
}

// leave notes that a caller does not wait any more. It returns false if the request is about to end:
// then the caller gets its answer.
func (f *flight) leave() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = f.left || !f.ending
	return !f.ending
}

// end notes that the request has ended, and reports whether a caller has left before.
func (f *flight) end() (left bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ending = true
	return f.left
}

// flights are the requests that this node has sent.
type flights struct {
	mu   sync.Mutex
	byID map[row]*flight
	wg   sync.WaitGroup
}

// depart adds the request of a purchase.
func (d *Desk) depart(p *outbound.Purchase) *flight {
	f := &flight{done: make(chan struct{})}
	d.flights.mu.Lock()
	defer d.flights.mu.Unlock()
	if d.flights.byID == nil {
		d.flights.byID = map[row]*flight{}
	}
	d.flights.byID[rowOf(p)] = f
	d.flights.wg.Add(1)
	return f
}

// arrive removes the request of a purchase.
func (d *Desk) arrive(p *outbound.Purchase, f *flight) {
	d.flights.mu.Lock()
	delete(d.flights.byID, rowOf(p))
	d.flights.mu.Unlock()
	close(f.done)
	d.flights.wg.Done()
}

// isFollowed reports whether the node that sent the request of a purchase, or submitted an order, waits
// for its end.
func (d *Desk) isFollowed(p *outbound.Purchase) bool {
	if p.Node == d.Node() {
		return d.flight(p) != nil
	}
	most := paidTime
	if p.Key != "" {
		most = submitTime
	}
	return d.Store.IsAlive(p.Node) && d.now().Sub(p.SentAt) < 2*most
}

// flight returns the request of a purchase that this node has sent, or nil.
func (d *Desk) flight(p *outbound.Purchase) *flight {
	d.flights.mu.Lock()
	defer d.flights.mu.Unlock()
	return d.flights.byID[rowOf(p)]
}
