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

// ErrClock is returned for irreversible operations while the clock is not trusted.
var ErrClock = errors.New("the clock is not trusted")

const (
	// maxJump limits how far the clock may advance beyond the time that really passed between two
	// readings.
	maxJump = time.Hour
	// maxBehind limits how far the clock may be behind an earlier reading.
	maxBehind = 5 * time.Minute
	// maxStopped is how long a SQLite file may be without a server before the operator must confirm
	// the clock, because there was no running clock to compare it with.
	maxStopped = 32 * 24 * time.Hour
	// maxSkew limits the difference between a node's clock and PostgreSQL's.
	maxSkew = 5 * time.Second
)

// advice tells the operator how to fix a clock that is not trusted.
const advice = "; correct it, or start with --accept-clock if it is right"

// clock provides the time for irreversible operations, such as the end of a billing cycle or a
// deletion. On PostgreSQL this is the database's clock, which is the same for all nodes; on SQLite
// it is the machine's clock.
//
// The clock is read when the database is opened and with each heartbeat. Between two readings the
// trusted time advances with the machine's uptime, which nobody can set. A reading that contradicts
// the uptime is rejected: the trusted time continues to follow the uptime. Irreversible operations are then
// refused until a later reading agrees again or the node starts with Config.AcceptClock.
type clock struct {
	shared  bool // several machines use the database's clock
	Virtual bool // trust every time that a caller passes in, for tests

	mu     sync.Mutex // serializes readings
	uptime uptime
	last   atomic.Pointer[trustedTime]
}

// trustedTime is the result of the last reading.
type trustedTime struct {
	time   time.Time     // trusted time at the reading
	looked time.Time     // machine's clock at the reading, with its monotonic part
	uptime time.Duration // of the machine at the reading
	ahead  time.Duration // machine's clock minus trusted time
	jumped error         // why the reading was rejected
	skewed error         // why the machine's own clock is not trusted
}

// Look is a reading of the decisive clock.
type Look struct {
	Time   time.Time     // by the decisive clock
	Looked time.Time     // by the machine's clock, when the reading arrived
	Took   time.Duration // maximum duration of the reading
}

// Start takes the first reading. newest is the last stored heartbeat, or zero.
func (c *clock) Start(first Look, newest time.Time) {
	state := &trustedTime{time: first.Time, looked: first.Looked, uptime: c.uptime.Now()}
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
	c.last.Store(c.compare(state, first))
}

// Look takes a reading and compares it with the time that must have passed since the last one.
func (c *clock) Look(l Look) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.LookAfter(l, c.uptime.Now()-c.last.Load().uptime)
}

// LookAfter is Look with the uptime that has passed since the last reading.
func (c *clock) LookAfter(l Look, passed time.Duration) {
	before := c.last.Load()
	expected := before.time.Add(passed)
	state := &trustedTime{time: l.Time, looked: l.Looked, uptime: before.uptime + passed}
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
	c.last.Store(c.compare(state, l))
}

// compare sets the difference between the machine's clock and the trusted time. On PostgreSQL it
// must be small.
func (c *clock) compare(state *trustedTime, l Look) *trustedTime {
	state.ahead = l.Looked.Sub(state.time)
	if state.ahead > 0 { // part of it may be the duration of the reading
		state.ahead = max(0, state.ahead-l.Took)
	}
	if off := state.ahead.Abs(); c.shared && off > maxSkew {
		state.skewed = fmt.Errorf("%w: this machine's clock differs from the database's clock by %s; correct it", ErrClock, roughly(off))
	}
	return state
}

func roughly(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// Trusted returns the current time, based on the last accepted reading. It may be behind by the
// duration of the reading and while the machine wakes up, but it is never ahead.
func (c *clock) Trusted() time.Time {
	last := c.last.Load()
	return last.time.Add(time.Since(last.looked))
}

// Now returns the time to store: the machine's time if it agrees with the trusted time, and
// otherwise the trusted time.
func (c *clock) Now() time.Time {
	last := c.last.Load()
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

// Decisive returns now, or the trusted time if now is later. It returns ErrClock while the clock
// is not trusted.
func (c *clock) Decisive(now time.Time) (time.Time, error) {
	if c.Virtual {
		return now, nil
	}
	if err := c.last.Load().jumped; err != nil {
		return time.Time{}, err
	}
	if trusted := c.Trusted(); now.After(trusted) {
		return trusted, nil
	}
	return now, nil
}

// Now returns the time to store: the machine's time while it agrees with the trusted time.
func (s *DB) Now() time.Time { return s.Clock.Now() }

// TrustedNow returns the time that decides whether something has expired and may be deleted. It
// returns ErrClock while the clock is not trusted.
func (s *DB) TrustedNow() (time.Time, error) { return s.Clock.Decisive(s.Clock.Trusted()) }

// ClockStatus returns how far the machine's clock is ahead of the trusted time, and an error if
// the clock needs attention.
func (s *DB) ClockStatus() (ahead time.Duration, err error) {
	last := s.Clock.last.Load()
	return last.ahead, errors.Join(last.jumped, last.skewed)
}

// uptime measures how long the machine has been up, including suspended time, which Go's
// monotonic clock omits. If the system does not report it, uptime uses the monotonic clock.
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
