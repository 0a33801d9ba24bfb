// Package schedule computes when something is due, at civil times (wall clock times) of a
// time zone.
//
// A slot is such a civil time. Every slot is due exactly once, even when clocks change: a
// civil time that occurs twice is due at its first occurrence, and a civil time that is
// skipped is due at the next minute that exists.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the machine may have no time zone database

	"github.com/netresearch/go-cron"

	"earshot"
)

// Slot is a civil time in the time zone of a rule.
type Slot struct{ civil time.Time } // in UTC, whatever the zone of the rule

const slotLayout = "2006-01-02T15:04"

// String formats a slot, such as 2026-11-15T06:00.
func (s Slot) String() string { return s.civil.Format(slotLayout) }

// ParseSlot parses the result of String.
func ParseSlot(text string) (Slot, error) {
	civil, err := time.Parse(slotLayout, text)
	if err != nil {
		return Slot{}, fmt.Errorf("parse slot %q: %w", text, err)
	}
	return Slot{civil}, nil
}

// Month returns the calendar month of a slot, such as 2026-11.
func (s Slot) Month() string { return s.civil.Format("2006-01") }

// Rule generates the slots of a schedule.
type Rule struct {
	location *time.Location
	// next returns the first civil time of the rule after a civil time, or the zero time if
	// there is none.
	next func(after time.Time) time.Time
	// Within is the length of the window that starts at each slot.
	Within time.Duration
	// Shortest is the shortest time between two slots.
	Shortest time.Duration
}

// Problem is an invalid field of a schedule.
type Problem struct{ Field, Message string }

// defaultWithin is the default window. A schedule with an interval of less than 8 hours has
// a window of half its interval.
const defaultWithin = 4 * time.Hour

// New returns the rule of a schedule. The schema has already checked each field by itself.
func New(s earshot.Schedule) (*Rule, []Problem) {
	var problems []Problem
	reject := func(field, format string, args ...any) {
		problems = append(problems, Problem{field, fmt.Sprintf(format, args...)})
	}
	r := &Rule{location: time.UTC}
	if s.Timezone != "" {
		location, err := time.LoadLocation(s.Timezone)
		if err != nil || s.Timezone == "Local" {
			reject("timezone", "%q is not an IANA time zone such as Europe/Berlin", s.Timezone)
		} else {
			r.location = location
		}
	}
	if s.Weekday != "" && s.Every != "week" {
		reject("weekday", "can only be used with every: week")
	}
	if s.MonthDay != 0 && s.Every != "month" {
		reject("monthDay", "can only be used with every: month")
	}
	if s.Cron != "" {
		next, err := parseCron(s.Cron)
		if err != nil {
			reject("cron", "%v", err)
			return nil, problems
		}
		r.next, r.Shortest = next, shortestGap(next)
	} else {
		r.next, r.Shortest = everyRule(s)
	}
	r.Within = min(defaultWithin, r.Shortest/2)
	if s.Within != "" {
		within, err := time.ParseDuration(s.Within)
		if err != nil || within < time.Minute || within > r.Shortest {
			reject("within", "must be a duration from 1m to %s, the shortest time between two sweeps", short(r.Shortest))
		}
		r.Within = within
	}
	return r, problems
}

// short formats a duration in hours or minutes.
func short(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

// parseCron parses a cron expression with five fields. As in cron, if both the day of the
// month and the day of the week are restricted, a day needs to match only one of them.
func parseCron(text string) (func(time.Time) time.Time, error) {
	if strings.HasPrefix(text, "@") || strings.Contains(text, "TZ=") || len(strings.Fields(text)) != 5 {
		return nil, errors.New("must have five fields: minute, hour, day of the month, month, day of the week")
	}
	parsed, err := cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot be parsed: %w", err)
	}
	next := parsed.Next
	if next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("never occurs")
	}
	return next, nil
}

// shortestGap returns the shortest time between two slots of a cron expression. It looks at
// one year and at most 2,000 slots.
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

const day = 24 * time.Hour

// everyRule returns the next function of a schedule without a cron expression, and the
// shortest time between two slots.
func everyRule(s earshot.Schedule) (next func(time.Time) time.Time, shortest time.Duration) {
	var at time.Duration // the default is midnight; the schema has checked the format
	if clock, err := time.Parse("15:04", s.At); err == nil {
		at = time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	}
	switch s.Every {
	case "day":
		return steps(day, at), day
	case "week":
		return steps(7*day, at+time.Duration(daysAfterThursday(s.Weekday))*day), 7 * day
	case "month":
		return func(after time.Time) time.Time { return nextMonthDay(after, max(1, s.MonthDay), at) }, 28 * day
	default:
		hours, err := time.ParseDuration(s.Every)
		if err != nil || hours < time.Hour {
			hours = day // the schema has rejected the value
		}
		return steps(hours, at%hours), hours
	}
}

// steps returns the next function of civil times at a fixed distance. One of them is the
// offset after 1970-01-01T00:00, a Thursday.
func steps(distance, offset time.Duration) func(time.Time) time.Time {
	return func(after time.Time) time.Time {
		since := time.Duration(after.Unix())*time.Second - offset
		passed := since % distance // time since the last step
		if passed < 0 {
			passed += distance
		}
		return after.Truncate(time.Second).Add(distance - passed)
	}
}

// daysAfterThursday returns the number of days from Thursday to a weekday. The default is
// Monday.
func daysAfterThursday(weekday string) int {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(day.String(), weekday) {
			return (int(day) - int(time.Thursday) + 7) % 7
		}
	}
	return int(time.Monday) - int(time.Thursday) + 7
}

// nextMonthDay returns the next occurrence of a day of the month. In a month with fewer days
// it is the last day.
func nextMonthDay(after time.Time, day int, at time.Duration) time.Time {
	for month := 0; ; month++ {
		first := time.Date(after.Year(), after.Month()+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		if due := first.AddDate(0, 0, min(day, last)-1).Add(at); due.After(after) {
			return due
		}
	}
}

// Next returns the first slot after another slot, and false if there is none.
func (r *Rule) Next(after Slot) (Slot, bool) {
	civil := r.next(after.civil)
	return Slot{civil}, !civil.IsZero()
}

// After returns the first slot that is due after a time, and false if there is none.
func (r *Rule) After(moment time.Time) (Slot, bool) {
	// When clocks change, a slot with an earlier civil time may be due after the moment, but
	// its civil time is at most a day earlier.
	slot := Slot{r.Civil(moment).civil.Add(-24 * time.Hour)}
	for {
		next, ok := r.Next(slot)
		if !ok || r.At(next).After(moment) {
			return next, ok
		}
		slot = next
	}
}

// Due returns the text and the time of a slot that Next or After returned, or zero values if ok
// is false.
func (r *Rule) Due(slot Slot, ok bool) (text string, due time.Time) {
	if !ok {
		return "", time.Time{}
	}
	return slot.String(), r.At(slot)
}

// Civil returns the civil time of a moment in the rule's time zone, to the minute.
func (r *Rule) Civil(moment time.Time) Slot {
	local := moment.In(r.location)
	return Slot{time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)}
}

// At returns the time at which a slot is due.
func (r *Rule) At(slot Slot) time.Time {
	c := slot.civil
	near := time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), 0, 0, r.location)
	start, end := near.ZoneBounds()
	// Try the offsets of the zone before, at and after that time, and take the earliest moment
	// that has this civil time.
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
	// The clock skips this civil time: the moment of the change is the next minute that exists.
	for _, jump := range []time.Time{start, end} {
		if r.Civil(jump).civil.After(c) && !r.Civil(jump.Add(-time.Second)).civil.After(c) {
			return jump
		}
	}
	return near
}

// Zone returns the name of the rule's time zone.
func (r *Rule) Zone() string { return r.location.String() }
