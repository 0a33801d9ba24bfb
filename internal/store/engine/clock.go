package engine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClock is returned for what cannot be undone while the clock is not trusted.
var ErrClock = errors.New("the clock is not trusted")

const (
	// maxJump is how far the clock may run ahead of the time that really passed
	// between two looks at it.
	maxJump = time.Hour
	// maxBehind is how far the clock may be behind the time of an earlier look.
	maxBehind = 5 * time.Minute
	// maxStopped is how long a SQLite file may have been without a server before
	// somebody has to confirm that the clock is right: no clock went on meanwhile that
	// it could be compared with.
	maxStopped = 32 * 24 * time.Hour
	// maxSkew is how far a node's clock may be from PostgreSQL's.
	maxSkew = 5 * time.Second
)

// advice is what an operator can do about a clock that is not trusted.
const advice = "; correct it, or start with --accept-clock if it is right"

// clock knows which time to trust for what cannot be undone: that a billing cycle
// ends, that something is deleted. On PostgreSQL it is the time of the database's
// clock, on which all nodes agree; on SQLite that of the machine, since there is no
// other.
//
// The clock is looked at when the database is opened and with each heartbeat. Between
// two looks the trusted time goes on by how long the machine has been up, which
// nobody can set. A look that contradicts this is not believed: the trusted time goes
// on as before, and until a later look agrees with it again, or the node starts with
// Config.AcceptClock, nothing happens that cannot be undone.
type clock struct {
	shared  bool // several machines use the database, whose clock decides
	Virtual bool // every time that a caller hands in is believed, for tests

	mu     sync.Mutex // for looks
	uptime uptime
	Last   atomic.Pointer[trustedTime]
}

// trustedTime is what the clock knows since the last look.
type trustedTime struct {
	time   time.Time     // that was trusted at the look
	looked time.Time     // by the machine's clock, with its monotonic reading
	Uptime time.Duration // of the machine at the look
	ahead  time.Duration // of the machine's clock before the trusted one
	jumped error         // why the look was not believed
	skewed error         // why the machine's own clock is not believed
}

// Look is a reading of the clock that decides.
type Look struct {
	Time   time.Time     // by the clock that decides
	Looked time.Time     // by the machine's clock, once the reading had arrived
	Took   time.Duration // how long the reading was under way, at most
}

// Start takes the first look. newest is the time of the last heartbeat that is stored,
// zero for none.
func (c *clock) Start(first Look, newest time.Time) {
	state := &trustedTime{time: first.Time, looked: first.Looked, Uptime: c.uptime.Now()}
	if !newest.IsZero() {
		ahead := first.Time.Sub(newest)
		switch {
		case ahead < -maxBehind:
			state.jumped = fmt.Errorf("%w: it is %s behind the last heartbeat in the database"+advice, ErrClock, roughly(-ahead))
		case ahead > maxStopped && !c.shared:
			state.jumped = fmt.Errorf("%w: it is %s ahead of the last heartbeat in the database"+advice, ErrClock, roughly(ahead))
		}
		if state.jumped != nil {
			state.time = newest
		}
	}
	c.Last.Store(c.compare(state, first))
}

// Look compares the clock with the time that must have passed since the last look.
func (c *clock) Look(l Look) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.LookAt(l, c.uptime.Now())
}

// LookAt is Look at a given uptime of the machine.
func (c *clock) LookAt(l Look, up time.Duration) {
	before := c.Last.Load()
	expected := before.time.Add(up - before.Uptime)
	state := &trustedTime{time: l.Time, looked: l.Looked, Uptime: up}
	if ahead := l.Time.Sub(expected); ahead > maxJump || ahead < -maxBehind {
		state.time, state.jumped = expected, before.jumped
		if state.jumped == nil {
			direction := "forward"
			if ahead < 0 {
				direction, ahead = "back", -ahead
			}
			state.jumped = fmt.Errorf("%w: it jumped %s by %s"+advice, ErrClock, direction, roughly(ahead))
		}
	}
	c.Last.Store(c.compare(state, l))
}

// compare notes how far the machine's clock is from the trusted one. That of a node
// on PostgreSQL has to agree.
func (c *clock) compare(state *trustedTime, l Look) *trustedTime {
	state.ahead = l.Looked.Sub(state.time)
	if state.ahead > 0 { // some of it is the way of the reading
		state.ahead = max(0, state.ahead-l.Took)
	}
	if off := state.ahead.Abs(); c.shared && off > maxSkew {
		state.skewed = fmt.Errorf("%w: this machine's clock is %s off that of the database; correct it", ErrClock, roughly(off))
	}
	return state
}

func roughly(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// Trusted is the time now, as it follows from the last look that was believed. It may
// be behind by how long the reading took, and while a machine wakes up; it is not
// ahead.
func (c *clock) Trusted() time.Time {
	last := c.Last.Load()
	return last.time.Add(time.Since(last.looked))
}

// Now is the time to note down: the machine's, as long as that agrees with the
// trusted one.
func (c *clock) Now() time.Time {
	last := c.Last.Load()
	wall, trusted := time.Now(), c.Trusted()
	tolerance := maxJump
	if c.shared {
		tolerance = maxSkew
	}
	if c.Virtual || (last.skewed == nil && last.jumped == nil && wall.Round(0).Sub(trusted).Abs() <= tolerance) {
		return wall
	}
	return trusted
}

// Decisive is the time that may end a billing cycle, where a caller says that it is
// now: never later than the trusted time. It returns ErrClock while there is none.
func (c *clock) Decisive(now time.Time) (time.Time, error) {
	if c.Virtual {
		return now, nil
	}
	if err := c.Last.Load().jumped; err != nil {
		return time.Time{}, err
	}
	if trusted := c.Trusted(); now.After(trusted) {
		return trusted, nil
	}
	return now, nil
}

// Now is the time to note down. It is the machine's while that agrees with the clock
// that decides, which is PostgreSQL's where there is one.
func (s *DB) Now() time.Time { return s.Clock.Now() }

// TrustedNow is the time that decides what is past its time and may be deleted.
// Returns ErrClock while the clock is not trusted.
func (s *DB) TrustedNow() (time.Time, error) { return s.Clock.Decisive(s.Clock.Trusted()) }

// ClockStatus is how far the machine's clock is ahead of the trusted time, and why it
// needs attention, if it does.
func (s *DB) ClockStatus() (ahead time.Duration, err error) {
	last := s.Clock.Last.Load()
	return last.ahead, errors.Join(last.jumped, last.skewed)
}

// uptime tells how long the machine has been up, including the time that it slept,
// which Go's monotonic clock leaves out. Where the system does not tell, that clock
// has to do.
type uptime struct {
	up   time.Duration
	read time.Time
}

// Now returns how long the machine has been up.
func (u *uptime) Now() time.Duration {
	up, ok := readUptime()
	if !ok && !u.read.IsZero() {
		up = u.up + time.Since(u.read)
	}
	u.up, u.read = up, time.Now()
	return up
}

func readUptime() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, false
	}
	seconds, _, _ := strings.Cut(string(text), " ")
	value, err := strconv.ParseFloat(seconds, 64)
	return time.Duration(value * float64(time.Second)), err == nil
}
