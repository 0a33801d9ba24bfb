package definition

import (
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/track/schedule"
)

// Span is a range of time, its end excluded. Zero ends are open.
type Span struct{ From, Until time.Time }

// Has reports whether a time lies within the span.
func (p Span) Has(at time.Time) bool {
	return !at.Before(p.From) && (p.Until.IsZero() || at.Before(p.Until))
}

// Filter is a span as clients write it.
func (p Span) Filter() earshot.NumberFilter {
	return earshot.NumberFilter{From: p.From.UTC().Format(time.RFC3339Nano), To: p.Until.UTC().Format(time.RFC3339Nano)}
}

// ParseSpan reads a range; days are those of the tracker's time zone.
func ParseSpan(zone *schedule.Rule, fromField, from, toField, to string) (p Span, err error) {
	if from != "" {
		if p.From, err = momentOf(zone, from, 0); err != nil {
			return p, schema.Invalid(fromField, "must be a day or a time")
		}
	}
	if to != "" {
		if p.Until, err = momentOf(zone, to, 1); err != nil {
			return p, schema.Invalid(toField, "must be a day or a time")
		}
	}
	if from != "" && to != "" && !p.From.Before(p.Until) {
		return p, schema.Invalid(toField, "must be after %s", fromField)
	}
	return p, nil
}

// momentOf is a time, or the beginning of a day so many days after a day.
func momentOf(zone *schedule.Rule, text string, later int) (time.Time, error) {
	moment, isDay, err := schema.ParseMoment(text)
	if err != nil || !isDay {
		return moment, err
	}
	return dayStart(zone, moment.AddDate(0, 0, later))
}

// dayStart is when a day begins in a time zone.
func dayStart(zone *schedule.Rule, day time.Time) (time.Time, error) {
	slot, err := schedule.ParseSlot(day.Format(time.DateOnly) + "T00:00")
	if err != nil {
		return time.Time{}, err
	}
	return zone.At(slot), nil
}

// DaysBefore is the beginning of the day so many days before a moment.
func DaysBefore(zone *schedule.Rule, moment time.Time, days int) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, zone.Civil(moment).String()[:len(time.DateOnly)])
	if err != nil {
		return time.Time{}, err
	}
	return dayStart(zone, day.AddDate(0, 0, -days))
}

// Zone is the time zone of a tracker, as a rule.
func (d *Definition) Zone() *schedule.Rule {
	if d.Rule != nil {
		return d.Rule
	}
	return ruleOf(earshot.Schedule{Every: "day", Timezone: zoneOfManual})
}
