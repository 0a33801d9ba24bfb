package definition

import (
	"cmp"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/track/schedule"
)

// Span is a time range from From up to, but not including, Until. A zero time means no limit.
type Span struct{ From, Until time.Time }

// Has reports whether the span contains a time.
func (p Span) Has(at time.Time) bool {
	return !at.Before(p.From) && (p.Until.IsZero() || at.Before(p.Until))
}

// Filter returns the span as a filter of the API.
func (p Span) Filter() earshot.MetricFilter {
	return earshot.MetricFilter{From: p.From.UTC().Format(time.RFC3339Nano), To: p.Until.UTC().Format(time.RFC3339Nano)}
}

// notMoment is the error message for a limit of a time range.
const notMoment = "must be a day such as 2026-11-17 or a time such as 2026-11-17T06:00:00Z"

// ParseSpan parses a time range. Days are days in the tracker's time zone, and the last day
// is included.
func ParseSpan(zone *schedule.Rule, fromField, from, toField, to string) (p Span, err error) {
	if from != "" {
		if p.From, err = momentOf(zone, from, 0); err != nil {
			return p, schema.Invalid(fromField, notMoment)
		}
	}
	if to != "" {
		if p.Until, err = momentOf(zone, to, 1); err != nil {
			return p, schema.Invalid(toField, notMoment)
		}
	}
	if from != "" && to != "" && !p.From.Before(p.Until) {
		return p, schema.Invalid(toField, "must be after %s", fromField)
	}
	return p, nil
}

// usualDays is the number of days of a period without a start.
const usualDays = 28

// Recent parses the time range of a query, which ends today and has 28 days unless the query says
// otherwise.
func Recent(zone *schedule.Rule, from, to string, now time.Time) (Span, error) {
	p, err := ParseSpan(zone, "from", from, "to", cmp.Or(to, zone.Civil(now).String()[:len(time.DateOnly)]))
	if err == nil && from == "" {
		p.From, err = DaysBefore(zone, p.Until, usualDays)
	}
	return p, err
}

// momentOf parses a time or a day. For a day it returns the start of the day that is later
// by the given number of days.
func momentOf(zone *schedule.Rule, text string, later int) (time.Time, error) {
	moment, isDay, err := schema.ParseMoment(text)
	if err != nil || !isDay {
		return moment, err
	}
	return dayStart(zone, moment.AddDate(0, 0, later))
}

// dayStart returns the start of a day in a time zone.
func dayStart(zone *schedule.Rule, day time.Time) (time.Time, error) {
	slot, err := schedule.ParseSlot(day.Format(time.DateOnly) + "T00:00")
	if err != nil {
		return time.Time{}, err
	}
	return zone.At(slot), nil
}

// DaysBefore returns the start of the day that is the given number of days before a time.
func DaysBefore(zone *schedule.Rule, moment time.Time, days int) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, zone.Civil(moment).String()[:len(time.DateOnly)])
	if err != nil {
		return time.Time{}, err
	}
	return dayStart(zone, day.AddDate(0, 0, -days))
}

// Zone returns a rule in the tracker's time zone, which is UTC without a schedule.
func (d *Definition) Zone() *schedule.Rule {
	if d.Rule != nil {
		return d.Rule
	}
	return ruleOf(earshot.Schedule{Every: "day", Timezone: "UTC"})
}
