// Package share divides what a node can run out of among the accounts that want
// it: places for requests, connections, streams, workers, webhooks, bytes.
//
// There is one rule. An account may hold as much as is still free: whoever holds
// less than that is never refused, whatever others do. A lone account gets half of
// everything, and one that comes later half of what is left. As they give back and
// take again their parts even out: two have a third each, ten an eleventh. Nothing
// has to be configured for each account, and nothing is taken away from anybody.
//
// Whoever is not known yet, having shown no valid key, is the account Stranger. All
// strangers together may hold an eighth of what is free.
package share

import (
	"sync"
	"time"
)

// Stranger is the account of all who are not known.
const Stranger = ""

// strangersPart is by how much strangers may hold less than an account.
const strangersPart = 8

// Pool is something of which a node has so much. It is safe for concurrent use.
type Pool struct {
	mu       sync.Mutex
	capacity int64
	used     int64
	held     map[string]int64 // by account; only those that hold something
	lines    []*line          // accounts that wait, the next to be served first
	patience time.Duration    // of what is new

	refused, refusedStrangers int64
}

// NewPool makes a pool of that much.
func NewPool(capacity int64) *Pool { return &Pool{capacity: capacity, held: map[string]int64{}} }

// Take takes n for an account, or refuses at once. What was taken must be given
// back once, by Give or by the function that Hold returns.
func (p *Pool) Take(account string, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > p.room(account) {
		p.refuse(account)
		return false
	}
	p.used += n
	p.held[account] += n
	return true
}

// refuse counts a refusal.
func (p *Pool) refuse(account string) {
	if account == Stranger {
		p.refusedStrangers++
	} else {
		p.refused++
	}
}

// Add takes n for an account without asking: what is given to the node by others
// has to be done.
func (p *Pool) Add(account string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += n
	p.held[account] += n
}

// Hold is Take of one, with a function that gives it back. Calling that again
// changes nothing.
func (p *Pool) Hold(account string) (release func(), ok bool) {
	if !p.Take(account, 1) {
		return nil, false
	}
	return sync.OnceFunc(func() { p.Give(account, 1) }), true
}

// Give gives back n of what an account took.
func (p *Pool) Give(account string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= n
	if p.held[account] -= n; p.held[account] == 0 {
		delete(p.held, account)
	}
	p.serve()
}

// Room is how much more an account may take now.
func (p *Pool) Room(account string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.room(account)
}

// room is the rule. After taking n, an account that takes all it may holds as much
// as is free then: held + n = free - n.
func (p *Pool) room(account string) int64 {
	free, held := p.capacity-p.used, p.held[account]
	if account == Stranger {
		return max(0, (free-held*strangersPart)/(strangersPart+1))
	}
	if held == 0 && free > 0 {
		return max(1, free/2) // the last one goes to a newcomer
	}
	return max(0, (free-held)/2)
}

// Free is how much nobody holds.
func (p *Pool) Free() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.capacity-p.used)
}

// Full lists the accounts that may take nothing more now.
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

// Stats is how a pool is used.
type Stats struct {
	Capacity, Used, Accounts, Largest int64
	Refused, RefusedStrangers         int64
}

// Stats reads how the pool is used: in all, by how many accounts, the most by one
// of them, and how often something was refused to an account or to a stranger.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Capacity: p.capacity, Used: p.used, Accounts: int64(len(p.held)), Refused: p.refused, RefusedStrangers: p.refusedStrangers}
	for _, n := range p.held {
		s.Largest = max(s.Largest, n)
	}
	return s
}
