// Package schedule tells when something is due: at civil times of a time zone, as a
// person there would read them off a clock.
//
// A slot is such a civil time. It is due at one moment, also where clocks are changed:
// a time that comes twice is due when it comes first, and one that does not exist at the
// next minute that does. So no slot is due twice and none is left out.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the machine may have none

	"github.com/netresearch/go-cron"

	"earshot"
)

// Slot is a civil time: its fields are those of a time in UTC, but its time zone is the
// rule's.
type Slot struct{ civil time.Time }

const slotLayout = "2006-01-02T15:04"

// String writes a slot as 2026-11-15T06:00.
func (s Slot) String() string { return s.civil.Format(slotLayout) }

// ParseSlot reads what String wrote.
func ParseSlot(text string) (Slot, error) {
	civil, err := time.Parse(slotLayout, text)
	if err != nil {
		return Slot{}, fmt.Errorf("%q is no slot: %w", text, err)
	}
	return Slot{civil}, nil
}

// Month is the calendar month of a slot, as 2026-11.
func (s Slot) Month() string { return s.civil.Format("2006-01") }

// Rule says which slots there are.
type Rule struct {
	location *time.Location
	// next is the first civil time of the rule after another; the zero time when there
	// is none.
	next func(after time.Time) time.Time
	// Within is the window in which something that is due may begin.
	Within time.Duration
	// Shortest is the shortest time between two slots.
	Shortest time.Duration
}

// Problem is something that is wrong with a field of a schedule.
type Problem struct{ Field, Message string }

// defaultWithin is the longest window of a schedule that names none; one that repeats
// more often has half of its interval.
const defaultWithin = 4 * time.Hour

// New makes the rule of a schedule whose single fields are valid.
func New(s earshot.Schedule) (*Rule, []Problem) {
	var problems []Problem
	reject := func(field, format string, args ...any) {
		problems = append(problems, Problem{field, fmt.Sprintf(format, args...)})
	}
	r := &Rule{location: time.UTC}
	if s.Timezone != "" {
		location, err := time.LoadLocation(s.Timezone)
		if err != nil || s.Timezone == "Local" {
			reject("timezone", "%q is no time zone of the IANA database, such as Europe/Berlin", s.Timezone)
		} else {
			r.location = location
		}
	}
	if s.Weekday != "" && s.Every != "week" {
		reject("weekday", "goes only with every: week")
	}
	if s.MonthDay != 0 && s.Every != "month" {
		reject("monthDay", "goes only with every: month")
	}
	shortest := defaultWithin * 2
	if s.Cron != "" {
		next, err := parseCron(s.Cron)
		if err != nil {
			reject("cron", "%v", err)
			return nil, problems
		}
		r.next, shortest = next, shortestGap(next)
	} else {
		r.next = everyRule(s)
		// Less than an hour is refused as a value of every, not for what follows from it.
		if hours, err := time.ParseDuration(s.Every); err == nil && hours >= time.Hour {
			shortest = hours
		}
	}
	r.Shortest = interval(s, shortest)
	r.Within = min(defaultWithin, shortest/2)
	if s.Within != "" {
		within, err := time.ParseDuration(s.Within)
		if err != nil || within < time.Minute || within > r.Shortest {
			reject("within", "must be a time from 1m to %s, the time between two sweeps", short(r.Shortest))
		}
		r.Within = within
	}
	return r, problems
}

// interval is the shortest time between two slots.
func interval(s earshot.Schedule, shortest time.Duration) time.Duration {
	const day = 24 * time.Hour
	switch s.Every {
	case "day":
		return day
	case "week":
		return 7 * day
	case "month":
		return 28 * day
	default:
		return shortest
	}
}

// short writes whole hours without minutes.
func short(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

// parseCron reads the five fields of cron. Day of the month and day of the week are
// alternatives where both are given, as cron has it.
func parseCron(text string) (func(time.Time) time.Time, error) {
	if strings.HasPrefix(text, "@") || strings.Contains(text, "TZ=") || len(strings.Fields(text)) != 5 {
		return nil, errors.New("must have five fields: minute, hour, day of the month, month, day of the week")
	}
	parsed, err := cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	next := parsed.Next
	if next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("never comes")
	}
	return next, nil
}

// shortestGap is the shortest time between two slots of a cron text within a year,
// looking at no more of them than tell.
func shortestGap(next func(time.Time) time.Time) time.Duration {
	const year = 366 * 24 * time.Hour
	shortest := year
	first := next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	for n, at := 0, first; n < 2000 && at.Sub(first) < year; n++ {
		after := next(at)
		if after.IsZero() {
			break
		}
		shortest = min(shortest, after.Sub(at))
		at = after
	}
	return shortest
}

// everyRule is the rule of a schedule without a cron text.
func everyRule(s earshot.Schedule) func(time.Time) time.Time {
	var at time.Duration // midnight unless it says otherwise; its format was checked
	if clock, err := time.Parse("15:04", s.At); err == nil {
		at = time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	}
	switch s.Every {
	case "day":
		return steps(24*time.Hour, at)
	case "week":
		return steps(7*24*time.Hour, at+time.Duration(daysAfterThursday(s.Weekday))*24*time.Hour)
	case "month":
		return func(after time.Time) time.Time { return nextMonthDay(after, max(1, s.MonthDay), at) }
	default:
		hours, err := time.ParseDuration(s.Every)
		if err != nil {
			hours = 24 * time.Hour // it was rejected
		}
		return steps(hours, at%hours)
	}
}

// steps are the civil times at a fixed distance from each other, one of which is the
// offset after 1970-01-01T00:00, a Thursday.
func steps(distance, offset time.Duration) func(time.Time) time.Time {
	return func(after time.Time) time.Time {
		since := time.Duration(after.Unix())*time.Second - offset
		passed := since % distance // since the last one
		if passed < 0 {
			passed += distance
		}
		return after.Truncate(time.Second).Add(distance - passed)
	}
}

// daysAfterThursday is how many days after a Thursday the weekday comes; Monday when
// there is none.
func daysAfterThursday(weekday string) int {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(day.String(), weekday) {
			return (int(day) - int(time.Thursday) + 7) % 7
		}
	}
	return int(time.Monday) - int(time.Thursday) + 7
}

// nextMonthDay is the next time of a day of the month, or of the last day of a month
// that has fewer.
func nextMonthDay(after time.Time, day int, at time.Duration) time.Time {
	for month := 0; ; month++ {
		first := time.Date(after.Year(), after.Month()+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		if due := first.AddDate(0, 0, min(day, last)-1).Add(at); due.After(after) {
			return due
		}
	}
}

// Next is the first slot after another.
func (r *Rule) Next(after Slot) (Slot, bool) {
	civil := r.next(after.civil)
	return Slot{civil}, !civil.IsZero()
}

// After is the first slot that is due after a moment.
func (r *Rule) After(moment time.Time) (Slot, bool) {
	// A slot before the moment's own civil time may be due after the moment, where
	// clocks are changed; none is by more than a day.
	slot := Slot{r.Civil(moment).civil.Add(-24 * time.Hour)}
	for {
		next, ok := r.Next(slot)
		if !ok || r.At(next).After(moment) {
			return next, ok
		}
		slot = next
	}
}

// Civil is what a clock of the rule's time zone shows at a moment, to the minute.
func (r *Rule) Civil(moment time.Time) Slot {
	local := moment.In(r.location)
	return Slot{time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)}
}

// At is the moment at which a slot is due.
func (r *Rule) At(slot Slot) time.Time {
	c := slot.civil
	near := time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), 0, 0, r.location)
	start, end := near.ZoneBounds()
	// The offsets that the zone has around that time. What they make of the civil time
	// is a moment at which a clock shows it, unless the clock is changed in between.
	var due time.Time
	for _, around := range []time.Time{start.Add(-time.Second), near, end} {
		_, offset := around.In(r.location).Zone()
		moment := time.Unix(c.Unix()-int64(offset), 0)
		if r.Civil(moment) == slot && (due.IsZero() || moment.Before(due)) {
			due = moment
		}
	}
	if !due.IsZero() {
		return due
	}
	// The clock jumps over it: the jump is the next minute that exists.
	for _, jump := range []time.Time{start, end} {
		if r.Civil(jump).civil.After(c) && !r.Civil(jump.Add(-time.Second)).civil.After(c) {
			return jump
		}
	}
	return near
}

// Zone is the name of the rule's time zone.
func (r *Rule) Zone() string { return r.location.String() }
