package health

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store"
)

const (
	day = 24 // hours
	// baselineHours is how far the baseline reaches back: a week evens out days and
	// nights.
	baselineHours = 7 * day
	// minNow and minBefore are how many observations a comparison needs.
	minNow, minBefore = 20, 100
	// A field is low, or an alarm, when its rate has dropped by more than this share of
	// what it was, and by more than this many standard deviations.
	lowDrop, alarmDrop   = 0.1, 0.25
	lowSigma, alarmSigma = 3.0, 4.0
)

// maxUnknown is how many headings a report has of a provider's surface.
const maxUnknown = 50

// Retention is how long counts are used, and so must be stored.
const Retention = (baselineHours + day) * time.Hour

// Report returns for each provider, surface and field how often it was filled in the last hour
// and day, and in the week before.
func Report(ctx context.Context, s *store.Store, now time.Time) ([]earshot.ProviderHealth, error) {
	hour := now.UnixMilli() / time.Hour.Milliseconds()
	counts, err := s.FieldCounts(ctx, hour-baselineHours)
	if err != nil {
		return nil, err
	}
	type series struct{ last, today, before store.FieldCount }
	fields := map[string]map[string]*series{}
	for key, c := range counts {
		if _, surface := split(key.Provider); !slices.Contains(surface.Values(), surface) {
			continue // counted before surfaces were told apart
		}
		if fields[key.Provider] == nil {
			fields[key.Provider] = map[string]*series{}
		}
		f := fields[key.Provider][key.Field]
		if f == nil {
			f = &series{}
			fields[key.Provider][key.Field] = f
		}
		// The last hour is this one and the one before: this one has just begun.
		age := hour - key.Hour
		if age <= 1 {
			f.last = sum(f.last, c)
		} else {
			f.before = sum(f.before, c)
		}
		if age < day {
			f.today = sum(f.today, c)
		}
	}
	var report []earshot.ProviderHealth
	for provider, found := range fields {
		name, surface := split(provider)
		p := earshot.ProviderHealth{Provider: name, Surface: surface, State: earshot.HealthUnknown}
		for field, f := range found {
			if heading, unknown := strings.CutPrefix(field, unknownMark); unknown {
				if f.today.Seen > 0 {
					p.UnknownBlocks = append(p.UnknownBlocks, earshot.UnknownBlock{Title: heading, Seen: f.today.Seen})
				}
				continue
			}
			state := stateOf(f.last, f.before)
			p.State = worse(p.State, state)
			p.Fields = append(p.Fields, earshot.FieldHealth{
				Field: field, State: state, LastHour: share(f.last), LastDay: share(f.today), Baseline: rate(f.before),
			})
		}
		slices.SortFunc(p.Fields, func(a, b earshot.FieldHealth) int { return cmp.Compare(a.Field, b.Field) })
		slices.SortFunc(p.UnknownBlocks, func(a, b earshot.UnknownBlock) int {
			return cmp.Or(cmp.Compare(b.Seen, a.Seen), cmp.Compare(a.Title, b.Title))
		})
		p.UnknownBlocks = p.UnknownBlocks[:min(len(p.UnknownBlocks), maxUnknown)]
		report = append(report, p)
	}
	slices.SortFunc(report, func(a, b earshot.ProviderHealth) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Surface, b.Surface))
	})
	return report, nil
}

func sum(a, b store.FieldCount) store.FieldCount {
	return store.FieldCount{Seen: a.Seen + b.Seen, Filled: a.Filled + b.Filled}
}

func share(c store.FieldCount) earshot.FieldShare {
	return earshot.FieldShare{Seen: c.Seen, Filled: c.Filled, Rate: rate(c)}
}

// rate is nil for what was never seen.
func rate(c store.FieldCount) *float64 {
	if c.Seen == 0 {
		return nil
	}
	return new(float64(c.Filled) / float64(c.Seen))
}

// stateOf compares the last hour with the time before.
func stateOf(last, before store.FieldCount) earshot.HealthState {
	if last.Seen < minNow || before.Seen < minBefore {
		return earshot.HealthUnknown
	}
	now, then := *rate(last), *rate(before)
	// One added observation of each kind keeps a field that was always filled from
	// raising an alarm the first time that it is not.
	p := (float64(before.Filled) + 1) / (float64(before.Seen) + 2)
	sigma := math.Sqrt(p * (1 - p) / float64(last.Seen))
	drop := then - now
	switch {
	case drop > alarmDrop*then && drop > alarmSigma*sigma:
		return earshot.HealthAlarm
	case drop > lowDrop*then && drop > lowSigma*sigma:
		return earshot.HealthLow
	default:
		return earshot.HealthOK
	}
}

// worse is the one of two states that deserves more attention.
func worse(a, b earshot.HealthState) earshot.HealthState {
	order := a.Values()
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// split takes a key apart. Names of providers may have the mark, too.
func split(key string) (provider string, surface earshot.Surface) {
	mark := strings.LastIndex(key, surfaceMark)
	if mark < 0 {
		return key, ""
	}
	return key[:mark], earshot.Surface(key[mark+len(surfaceMark):])
}
