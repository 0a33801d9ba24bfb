// Package share divides the limited resources of a node among accounts: places for
// requests, connections, streams, workers, webhooks, bytes.
//
// There is one rule: an account may hold as many units as are still free. An account that
// holds fewer is never refused. A single account gets half of a pool, and an account that
// comes later gets half of the rest. As accounts give units back and take them again, their
// shares even out: two accounts have a third each, ten have an eleventh each. Nothing has
// to be configured for each account, and nothing is taken away from an account.
//
// Nobody controls how many addresses a client has. So a pool for addresses is a crowd: each may
// hold only a small part of the free units, so that many greedy ones leave room for others.
//
// Few units that are given back soon need no reserve: see NewQueue.
package share

import (
	"sync"
	"time"
)

// Pool is a limited number of units of a resource. It is safe for concurrent use.
type Pool struct {
	mu       sync.Mutex
	capacity int64
	used     int64
	held     map[string]int64 // units by account; only accounts that hold units
	queues   []*queue         // queues of waiting accounts, the next to be served first
	patience time.Duration    // see Patience
	whole    bool             // see NewQueue
	part     int64            // see NewCrowd; 1 in other pools
	refused  int64
}

// NewPool returns a pool with capacity units.
func NewPool(capacity int64) *Pool { return NewCrowd(capacity, 1) }

// NewCrowd returns a pool for addresses: one may hold up to 1/part of the units that it leaves free.
// After n greedy addresses, (part/(part+1))^n of the units are free.
func NewCrowd(capacity, part int64) *Pool {
	return &Pool{capacity: capacity, part: part, held: map[string]int64{}}
}

// NewQueue returns a pool that reserves nothing: an account may take all free units, and the
// accounts that wait are served in turn. It suits few units that are given back soon, such as the
// pages of a browser.
func NewQueue(capacity int64) *Pool {
	p := NewPool(capacity)
	p.whole = true
	return p
}

// Take takes n units for an account. It returns false if the account may not take them.
// The caller must give the units back with Release.
func (p *Pool) Take(account string, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > p.room(account) {
		p.refused++
		return false
	}
	p.used += n
	p.held[account] += n
	return true
}

// ForceTake takes n units for an account even if there is no room, for work that the node
// cannot refuse.
func (p *Pool) ForceTake(account string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += n
	p.held[account] += n
}

// Hold takes one unit and returns a function that gives it back. Calling the function
// again has no effect.
func (p *Pool) Hold(account string) (release func(), ok bool) {
	if !p.Take(account, 1) {
		return nil, false
	}
	return sync.OnceFunc(func() { p.Release(account, 1) }), true
}

// Release gives back n units of an account.
func (p *Pool) Release(account string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= n
	if p.held[account] -= n; p.held[account] == 0 {
		delete(p.held, account)
	}
	p.serve()
}

// Room returns the number of units that an account may take now.
func (p *Pool) Room(account string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.room(account)
}

// room implements the rule. If an account takes all n units that it may take, part times what
// it then holds is free: part * (held + n) = free - n.
func (p *Pool) room(account string) int64 {
	free, held := p.capacity-p.used, p.held[account]
	if p.whole {
		return max(0, free)
	}
	n := (free - held*p.part) / (p.part + 1)
	if held == 0 && free > 0 {
		return max(1, n) // an account that holds nothing may take the last unit
	}
	return max(0, n)
}

// Free returns the number of free units.
func (p *Pool) Free() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.capacity-p.used)
}

// Full returns the accounts that hold units and may not take more now.
func (p *Pool) Full() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var full []string
	for account := range p.held {
		if p.room(account) == 0 {
			full = append(full, account)
		}
	}
	return full
}

// Stats describes the use of a pool.
type Stats struct {
	Capacity, Used int64
	Accounts       int64 // number of accounts that hold units
	Largest        int64 // most units held by one account
	Refused        int64 // number of refusals so far
}

// Stats returns the current use of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Capacity: p.capacity, Used: p.used, Accounts: int64(len(p.held)), Refused: p.refused}
	for _, n := range p.held {
		s.Largest = max(s.Largest, n)
	}
	return s
}
