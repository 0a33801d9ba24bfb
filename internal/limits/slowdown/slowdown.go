// Package slowdown delays attempts to guess a password. It never locks an account:
//
//   - Attempts on one account from one address wait for each other. The first 5 failures are
//     free, then the time between two attempts doubles from 1 to 30 seconds.
//   - An account with failures from anywhere delays each attempt by up to 5 seconds, and an
//     address with failures on any account by up to 2 seconds. These attempts do not wait for
//     each other, so an attacker cannot delay the attempts of other people any longer.
//
// Waiting requests need memory and connections, so an address may have only 20 of them.
//
// The state is in memory, so each node counts the attempts that it has received.
package slowdown

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"earshot/internal/limits/share"
)

const (
	longestWait = 10 * time.Second // an attempt that has to wait longer is refused
	maxWaiting  = 20               // more attempts from one address do not wait, but are refused
	memory      = time.Hour        // failures are forgotten after this time without an attempt
	maxRecords  = 100_000          // the records that were used least recently are deleted
)

// limit is the number of failures that cause no delay, and the longest delay.
type limit struct {
	free    int
	longest time.Duration
}

var (
	pairLimit    = limit{5, 30 * time.Second}
	accountLimit = limit{20, 5 * time.Second}
	addressLimit = limit{20, 2 * time.Second}
)

// delay returns the delay after a number of failures. It doubles with each failure.
func (l limit) delay(failures int) time.Duration {
	if failures < l.free {
		return 0
	}
	return min(l.longest, time.Second<<min(failures-l.free, 5))
}

// Slowdown counts failed attempts. It is safe for concurrent use.
type Slowdown struct {
	mu      sync.Mutex
	records map[key]*list.Element
	recent  *list.List // the records, the last counted first
}

// key is a hash, so that long names of accounts need no memory.
type key [sha256.Size]byte

func keyOf(parts ...string) key { return sha256.Sum256([]byte(strings.Join(parts, "\x00"))) }

// record counts the failures of an account, an address, or a pair of both.
type record struct {
	key      key
	failures int // attempts that have failed, that wait, or that have not ended
	waiting  int // attempts that wait; only for an address
	counted  time.Time
	starts   time.Time // end of the wait of the last attempt
}

// New returns a Slowdown without failures.
func New() *Slowdown {
	return &Slowdown{records: map[key]*list.Element{}, recent: list.New()}
}

// RefusedError is the error for an attempt that may not wait, because its wait is too long or too
// many attempts from its address wait.
type RefusedError struct {
	After time.Duration // time until the next attempt is allowed
}

// Error returns the message for the user.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("too many failed attempts; try again in %.0f s", math.Ceil(e.After.Seconds()))
}

// Attempt is one attempt. It counts as failed until Succeeded is called.
type Attempt struct {
	slowdown               *Slowdown
	pair, account, address key
}

// Begin waits until an attempt on an account from an address may start. It returns a
// RefusedError if the wait is longer than 10 seconds, or if 20 attempts from the address wait
// already. IPv6 addresses count by their /64. The failures of the account at other addresses
// cause no delay if known is set, which means that the account has signed in from this address
// before.
func (s *Slowdown) Begin(ctx context.Context, account, address string, known bool) (*Attempt, error) {
	address = share.Address(address)
	a := &Attempt{s, keyOf("pair", account, address), keyOf("account", account), keyOf("address", address)}
	wait, refused := a.reserve(known)
	if refused {
		return nil, &RefusedError{After: wait}
	}
	if wait == 0 {
		return a, nil
	}
	defer a.stopWaiting()
	select {
	case <-time.After(wait):
		return a, nil
	case <-ctx.Done():
		a.takeBack()
		return nil, ctx.Err()
	}
}

// Succeeded takes the attempt back, and forgets the earlier failures of its account at its
// address.
func (a *Attempt) Succeeded() {
	a.takeBack()
	a.slowdown.mu.Lock()
	defer a.slowdown.mu.Unlock()
	a.slowdown.forget(a.slowdown.records[a.pair])
}

// reserve counts the attempt, unless it is refused, and returns its wait.
func (a *Attempt) reserve(known bool) (wait time.Duration, refused bool) {
	s := a.slowdown
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for e := s.recent.Back(); e != nil && now.Sub(recordOf(e).counted) >= memory; e = s.recent.Back() {
		s.forget(e)
	}

	pair, address := s.find(a.pair), s.find(a.address)
	wait = max(0, pair.starts.Add(pairLimit.delay(pair.failures)).Sub(now), addressLimit.delay(address.failures))
	if !known {
		wait = max(wait, accountLimit.delay(s.find(a.account).failures))
	}
	if wait > longestWait || wait > 0 && address.waiting >= maxWaiting {
		return wait, true
	}
	s.count(a.account, now)
	s.count(a.pair, now).starts = now.Add(wait)
	address = s.count(a.address, now)
	if wait > 0 {
		address.waiting++
	}
	return wait, false
}

func (a *Attempt) stopWaiting() {
	a.slowdown.mu.Lock()
	defer a.slowdown.mu.Unlock()
	address := a.slowdown.find(a.address)
	address.waiting = max(0, address.waiting-1)
}

// takeBack counts one failure less.
func (a *Attempt) takeBack() {
	a.slowdown.mu.Lock()
	defer a.slowdown.mu.Unlock()
	for _, k := range []key{a.pair, a.account, a.address} {
		r := a.slowdown.find(k)
		r.failures = max(0, r.failures-1)
	}
}

// find returns the record of a key, or an empty one that is not stored.
func (s *Slowdown) find(k key) *record {
	if e := s.records[k]; e != nil {
		return recordOf(e)
	}
	return &record{}
}

// count adds a failure to the record of a key, and returns the record.
func (s *Slowdown) count(k key, now time.Time) *record {
	e := s.records[k]
	if e == nil {
		if len(s.records) == maxRecords {
			s.forget(s.recent.Back())
		}
		e = s.recent.PushFront(&record{key: k})
		s.records[k] = e
	}
	s.recent.MoveToFront(e)
	r := recordOf(e)
	r.failures++
	r.counted = now
	return r
}

// forget deletes a record. It does nothing for nil.
func (s *Slowdown) forget(e *list.Element) {
	if e != nil {
		delete(s.records, recordOf(e).key)
		s.recent.Remove(e)
	}
}

func recordOf(e *list.Element) *record { return e.Value.(*record) } //nolint:errcheck // the list has only records
