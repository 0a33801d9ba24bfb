package health

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store/outbound"
)

const (
	day = 24 // hours
	// baselineHours is the length of the baseline. A week averages over days and nights.
	baselineHours = 7 * day
	// minNow and minBefore are the minimum numbers of observations for a comparison.
	minNow, minBefore = 20, 100
	// A field is low, or an alarm, if its fill rate dropped by more than this share of the baseline
	// and by more than this many standard deviations.
	lowDrop, alarmDrop   = 0.1, 0.25
	lowSigma, alarmSigma = 3.0, 4.0
)

// maxUnknown limits the headings in the report of one surface of a provider.
const maxUnknown = 50

// Retention is how long the store must keep counts.
const Retention = (baselineHours + day) * time.Hour

// Report returns how often each field of each provider and surface was filled in the last hour, in
// the last day, and in the week before the last hour.
func Report(ctx context.Context, s *outbound.Store, now time.Time) ([]earshot.ProviderHealth, error) {
	hour := now.UnixMilli() / time.Hour.Milliseconds()
	counts, err := s.FieldCounts(ctx, hour-baselineHours)
	if err != nil {
		return nil, err
	}
	type series struct{ last, today, before outbound.FieldCount }
	fields := map[string]map[string]*series{}
	for key, c := range counts {
		if _, surface := splitKey(key.Provider); !slices.Contains(surface.Values(), surface) {
			continue // counted before surfaces were counted separately
		}
		if fields[key.Provider] == nil {
			fields[key.Provider] = map[string]*series{}
		}
		f := fields[key.Provider][key.Field]
		if f == nil {
			f = &series{}
			fields[key.Provider][key.Field] = f
		}
		// "Last hour" means this hour and the previous one, because this hour has only begun.
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
		name, surface := splitKey(provider)
		p := earshot.ProviderHealth{Provider: name, Surface: surface, State: earshot.HealthUnknown}
		for field, f := range found {
			if heading, unknown := strings.CutPrefix(field, unknownPrefix); unknown {
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

func sum(a, b outbound.FieldCount) outbound.FieldCount {
	return outbound.FieldCount{Seen: a.Seen + b.Seen, Filled: a.Filled + b.Filled}
}

func share(c outbound.FieldCount) earshot.FieldShare {
	return earshot.FieldShare{Seen: c.Seen, Filled: c.Filled, Rate: rate(c)}
}

// rate returns nil for a field that was never seen.
func rate(c outbound.FieldCount) *float64 {
	if c.Seen == 0 {
		return nil
	}
	return new(float64(c.Filled) / float64(c.Seen))
}

// stateOf compares the last hour with the baseline.
func stateOf(last, before outbound.FieldCount) earshot.HealthState {
	if last.Seen < minNow || before.Seen < minBefore {
		return earshot.HealthUnknown
	}
	now, then := *rate(last), *rate(before)
	// One extra observation of each kind keeps a field that was always filled from raising an alarm
	// the first time it is empty.
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

// worse returns the more serious of two states.
func worse(a, b earshot.HealthState) earshot.HealthState {
	order := a.Values()
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// splitKey splits a key into provider and surface. The provider's name may contain the separator, too.
func splitKey(key string) (provider string, surface earshot.Surface) {
	mark := strings.LastIndex(key, surfaceSeparator)
	if mark < 0 {
		return key, ""
	}
	return key[:mark], earshot.Surface(key[mark+len(surfaceSeparator):])
}
