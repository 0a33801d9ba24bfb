package track_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// civil is the format of slots.
const civil = "2006-01-02T15:04"

// expected has the expected sweeps of a tracker, computed independently of package schedule.
type expected struct {
	name    string
	zone    *time.Location
	times   []string // times of the sweeps of each day
	within  time.Duration
	ceiling int64 // 0 if there is none
	paused  bool
	from    time.Time // slots up to this time are processed
	sweeps  map[string]earshot.SweepState
	known   map[string]time.Time // cache of due times by slot
}

// due returns the first time at which a clock of the time zone shows the given time of a day
// or, if clocks skip it, a later time. It searches minute by minute.
func (e *expected) due(day time.Time, at string) time.Time {
	slot := day.Format("2006-01-02") + "T" + at
	if due, ok := e.known[slot]; ok {
		return due
	}
	utc, _ := time.Parse(civil, slot) // always valid
	_, offset := utc.In(e.zone).Zone()
	for t := utc.Add(-time.Duration(offset)*time.Second - 2*time.Hour); ; t = t.Add(time.Minute) {
		if t.In(e.zone).Format(civil) >= slot {
			e.known[slot] = t
			return t
		}
	}
}

// see records the expected states of the slots up to now.
func (e *expected) see(now time.Time) {
	if e.paused {
		return
	}
	for day := e.from.AddDate(0, 0, -2).Truncate(24 * time.Hour); !day.After(now.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		for _, at := range e.times {
			due := e.due(day, at)
			if !due.After(e.from) || due.After(now) {
				continue
			}
			state := earshot.SweepClosed
			if !now.Before(due.Add(e.within)) {
				state = earshot.SweepMissed
			}
			e.sweeps[fmt.Sprintf("%sT%s %s", day.Format("2006-01-02"), at, e.zone)] = state
		}
	}
	e.from = now
}

// check compares the sweeps of a tracker with the expected sweeps.
func (e *expected) check(w *world) {
	w.Helper()
	seen := map[string]bool{}
	counts := map[earshot.SweepState]int{}
	var charged int64
	for _, sweep := range w.sweeps(e.name) {
		want, known := e.sweeps[sweep.Slot]
		if e.ceiling > 0 && sweep.State == earshot.SweepSkipped && want == earshot.SweepClosed {
			want = earshot.SweepSkipped // checkCeiling checks whether skipping was necessary
		}
		if !known || seen[sweep.Slot] || sweep.State != want {
			w.Errorf("%s: slot %s is %s, want %q; duplicate: %t", e.name, sweep.Slot, sweep.State, want, seen[sweep.Slot])
		}
		if sweep.Answered+sweep.Missing != sweep.Submitted || sweep.State != earshot.SweepClosed && sweep.Submitted > 0 {
			w.Errorf("%s: slot %s ended as %+v", e.name, sweep.Slot, sweep)
		}
		seen[sweep.Slot] = true
		counts[sweep.State]++
		charged += sweep.Charged
	}
	for slot, state := range e.sweeps {
		if !seen[slot] {
			w.Errorf("%s: slot %s is missing, want %s", e.name, slot, state)
		}
	}
	if got := w.charged(e.name); got != charged {
		w.Errorf("%s: the ledger has %d credits, the sweeps %d", e.name, got, charged)
	}
	w.checkStepped(e.name, len(seen))
	w.Logf("%s: %v, %d credits", e.name, counts, charged)
	if counts[earshot.SweepClosed] == 0 || counts[earshot.SweepMissed] == 0 || e.ceiling > 0 && len(e.sweeps) > 300 && counts[earshot.SweepSkipped] == 0 {
		w.Errorf("%s: the year had only %v", e.name, counts)
	}
}

// checkCeiling checks that no month exceeded the ceiling, and that no sweep was skipped without
// need. The previous sweep may still have been running, so its maximum cost counts.
func (e *expected) checkCeiling(w *world) {
	w.Helper()
	spent := map[string]int64{}
	var before *tracking.Sweep
	for _, sweep := range w.sweeps(e.name) {
		month := sweep.Slot[:len("2006-01")]
		most := spent[month] + sweep.MaxCost
		if before != nil && before.Month == month {
			most += before.MaxCost - before.Charged
		}
		switch {
		case sweep.State == earshot.SweepSkipped && most <= e.ceiling:
			w.Errorf("%s: slot %s was skipped at %d of %d credits", e.name, sweep.Slot, spent[month], e.ceiling)
		case sweep.State == earshot.SweepClosed && spent[month]+sweep.MaxCost > e.ceiling:
			w.Errorf("%s: slot %s was run at %d of %d credits", e.name, sweep.Slot, spent[month], e.ceiling)
		}
		spent[month] += sweep.Charged
		if !sweep.StartedAt.IsZero() {
			before = sweep
		}
	}
	for month, credits := range spent {
		if credits > e.ceiling {
			w.Errorf("%s: %s cost %d of %d credits", e.name, month, credits, e.ceiling)
		}
	}
}

// cells is the common part of the definitions: two prompts on one target.
const cells = "prompts: [one, %s]\ntargets: [{provider: chatassistant, country: US}]\n"

const (
	newYork = "schedule: {every: day, at: \"02:30\", timezone: America/New_York, within: 2h}\n"
	berlin  = "schedule: {every: day, at: \"02:30\", timezone: Europe/Berlin, within: 4h}\n"
	later   = "schedule: {every: day, at: \"05:15\", timezone: Europe/Berlin, within: 4h}\n"
	dear    = "schedule: {cron: \"15 12 * * *\", timezone: UTC, within: 6h}\nceiling: {creditsPerMonth: 14}\n"
)

// TestAYear moves the clock of two nodes in small and large steps, through ten weeks with the clock
// changes of an autumn. With EARSHOT_SOAK_CYCLES, it is a whole year on SQLite.
func TestAYear(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		start, end := time.Date(2026, time.September, 1, 12, 0, 30, 0, time.UTC), time.Date(2026, time.November, 10, 0, 0, 0, 0, time.UTC)
		if os.Getenv("EARSHOT_SOAK_CYCLES") != "" && !store.Shared(address) {
			start, end = start.AddDate(0, -3, 0), start.AddDate(0, 9, 0)
		}
		w := newWorld(t, address, start)
		trackers := []*expected{
			{name: "new-york", zone: zone(t, "America/New_York"), times: []string{"02:30"}, within: 2 * time.Hour},
			{name: "berlin", zone: zone(t, "Europe/Berlin"), times: []string{"02:30"}, within: 4 * time.Hour},
			{name: "dear", zone: time.UTC, times: []string{"12:15"}, within: 6 * time.Hour, ceiling: 14},
		}
		for i, schedule := range []string{newYork, berlin, dear} {
			trackers[i].from, trackers[i].sweeps, trackers[i].known = start, map[string]earshot.SweepState{}, map[string]time.Time{}
			w.apply(trackers[i].name, fmt.Sprintf(cells, "two")+schedule)
		}
		y := &year{w, trackers, changes(w, trackers)}
		for w.now.Before(end) {
			y.move()
		}
		for _, e := range trackers {
			w.setState(e.name, earshot.TrackerPaused)
		}
		for range 3 { // until the last sweep has closed
			w.now = w.now.Add(7 * time.Hour)
			w.step()
		}
		for _, e := range trackers {
			e.check(w)
			if e.ceiling > 0 {
				e.checkCeiling(w)
			}
		}
		storetest.Audited(t, w.store)
	})
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

// year moves the clock through a year.
type year struct {
	*world
	trackers []*expected
	changes  []change // future changes
}

// change is an action of a user at a given time.
type change struct {
	at time.Time
	do func()
}

// changes returns a pause, a definition that keeps a due slot, and a definition that changes
// the next slot.
func changes(w *world, trackers []*expected) []change {
	american, german := trackers[0], trackers[1]
	summer := func(days int, at time.Duration) time.Time { // all changes are before October
		return w.now.Truncate(24*time.Hour).AddDate(0, 0, days).Add(at)
	}
	const intoSlot = 31 * time.Minute // the slot of 02:30 in Berlin is due, and no node has seen it
	return []change{
		{summer(4, intoSlot), func() { w.apply("berlin", fmt.Sprintf(cells, "three")+berlin) }},
		{summer(9, intoSlot), func() {
			w.apply("berlin", fmt.Sprintf(cells, "three")+later)
			german.times, german.from = []string{"05:15"}, w.now
		}},
		{summer(12, 9*time.Hour), func() {
			w.setState("new-york", earshot.TrackerPaused)
			american.paused = true
		}},
		{summer(19, 9*time.Hour), func() {
			w.setState("new-york", earshot.TrackerActive)
			american.paused, american.from = false, w.now
		}},
		{summer(24, intoSlot), func() {
			w.apply("berlin", fmt.Sprintf(cells, "two")+berlin)
			german.times, german.from = []string{"02:30"}, w.now
		}},
	}
}

// clockChanges are the days on which clocks change.
var clockChanges = []time.Time{
	time.Date(2026, time.October, 25, 0, 0, 0, 0, time.UTC), time.Date(2027, time.March, 28, 0, 0, 0, 0, time.UTC), // Berlin
	time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, time.March, 14, 0, 0, 0, 0, time.UTC), // New York
}

// move moves the clock: hours or days while all nodes are down, single minutes, or small steps
// through the window of a slot.
func (y *year) move() {
	for _, day := range clockChanges {
		if !y.now.Before(day) && y.now.Before(day.Add(10*time.Hour)) {
			y.to(y.now.Add(20 * time.Minute))
			return
		}
	}
	switch y.random.IntN(5) {
	case 0:
		y.to(y.now.Add(time.Duration(1 + y.random.Int64N(int64(9*24*time.Hour)))))
	case 1:
		y.to(y.now.Add(time.Duration(1 + y.random.Int64N(int64(30*time.Hour)))))
	case 2:
		for range 3 {
			y.to(y.now.Add(time.Minute))
		}
	default: // to the next slot of some tracker, and through its window
		e := y.trackers[y.random.IntN(len(y.trackers))]
		due := e.due(y.now.Add(36*time.Hour).Truncate(24*time.Hour), e.times[0])
		y.to(due.Add(-time.Minute))
		for y.now.Before(due.Add(e.within)) {
			y.to(y.now.Add(time.Duration(1 + y.random.Int64N(int64(e.within)))))
		}
	}
}

// to moves the clock and runs a step. It does not move past a day on which clocks change, nor
// past the next change of a user.
func (y *year) to(now time.Time) {
	for _, day := range clockChanges {
		if y.now.Before(day) && now.After(day) {
			now = day
		}
	}
	if len(y.changes) > 0 && now.After(y.changes[0].at) {
		y.now = y.changes[0].at
		y.changes[0].do()
		y.changes = y.changes[1:]
	} else {
		y.now = now
	}
	y.step()
	for _, e := range y.trackers {
		e.see(y.now)
	}
}
