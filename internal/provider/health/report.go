package health

import (
	"cmp"
	"context"
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
)

// maxUnknown limits the headings in the report of one surface of a provider.
const maxUnknown = 50

// Retention is how long the store must keep counts.
const Retention = (baselineHours + day) * time.Hour

// windows are the counts of a series.
type windows struct{ last, today, before outbound.FieldCount }

func (w *windows) add(c outbound.FieldWindows) {
	w.last, w.today, w.before = sum(w.last, c.LastHour), sum(w.today, c.LastDay), sum(w.before, c.Before)
}

// Report returns how often each field of each provider and surface was filled in the last hour, in
// the last day, and in the week before the last hour, with the states of the detectors.
func Report(ctx context.Context, s *outbound.Store, now time.Time) ([]earshot.ProviderHealth, error) {
	hour := HourOf(now)
	counts, err := s.FieldWindows(ctx, hour-baselineHours, hour)
	if err != nil {
		return nil, err
	}
	all, err := detectors(ctx, s)
	if err != nil {
		return nil, err
	}
	seen, err := s.Sightings(ctx)
	if err != nil {
		return nil, err
	}
	series := map[string]map[seriesKey]*windows{} // by provider and surface
	for _, c := range counts {
		if _, surface := splitKey(c.Provider); !slices.Contains(surface.Values(), surface) {
			continue // counted before surfaces were counted separately
		}
		if series[c.Provider] == nil {
			series[c.Provider] = map[seriesKey]*windows{}
		}
		for _, layout := range slices.Compact([]string{"", c.Layout}) {
			at := seriesKey{c.Provider, layout, c.Field}
			if series[c.Provider][at] == nil {
				series[c.Provider][at] = &windows{}
			}
			series[c.Provider][at].add(c)
		}
	}
	var report []earshot.ProviderHealth
	for provider, found := range series {
		report = append(report, reportOf(provider, found, all, seen))
	}
	slices.SortFunc(report, func(a, b earshot.ProviderHealth) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Surface, b.Surface))
	})
	return report, nil
}

// reportOf returns the report of a provider on a surface.
func reportOf(key string, found map[seriesKey]*windows, all map[seriesKey]*detector, seen map[outbound.Sighted]outbound.Sighting) earshot.ProviderHealth {
	name, surface := splitKey(key)
	p := earshot.ProviderHealth{Provider: name, Surface: surface, State: earshot.HealthUnknown}
	layouts := map[string]*earshot.LayoutHealth{}
	documents := int64(0)
	for at, f := range found {
		heading, isHeading := strings.CutPrefix(at.Field, unknownPrefix)
		state := all[at].health()
		switch {
		case isHeading && at.Layout == "" && f.today.Seen > 0:
			first, _ := timesOf(seen, outbound.Sighted{Provider: key, Kind: outbound.SightedBlock, Name: heading})
			p.UnknownBlocks = append(p.UnknownBlocks, earshot.UnknownBlock{Title: heading, Seen: f.today.Seen, FirstSeen: first})
		case isHeading:
		case at.Layout != "" && f.today.Seen > 0:
			l := layouts[at.Layout]
			if l == nil {
				l = &earshot.LayoutHealth{Layout: at.Layout, State: earshot.HealthUnknown}
				l.FirstSeen, l.LastSeen = timesOf(seen, outbound.Sighted{Provider: key, Kind: outbound.SightedLayout, Name: at.Layout})
				layouts[at.Layout] = l
			}
			if at.Field == Understood {
				l.Seen = f.today.Seen
				documents += f.today.Seen
				continue
			}
			l.State = worse(l.State, state)
			l.Fields = append(l.Fields, earshot.LayoutField{Field: at.Field, State: state, LastDay: share(f.today)})
		case at.Layout == "":
			field := earshot.FieldHealth{Field: at.Field, State: state, LastHour: share(f.last), LastDay: share(f.today), Baseline: rate(f.before)}
			if d := all[at]; d != nil && d.open() != nil {
				field.Since = new(timeOf(d.open().Since))
			}
			if at.Field == Blocks {
				p.BlockCount, p.UnknownBlockCount = f.today.Seen, f.today.Seen-f.today.Filled
			}
			p.State = worse(p.State, state)
			p.Fields = append(p.Fields, field)
		}
	}
	for _, l := range layouts {
		l.Share = float64(l.Seen) / float64(max(1, documents))
		p.State = worse(p.State, l.State)
		slices.SortFunc(l.Fields, func(a, b earshot.LayoutField) int { return cmp.Compare(a.Field, b.Field) })
		p.Layouts = append(p.Layouts, *l)
	}
	slices.SortFunc(p.Fields, func(a, b earshot.FieldHealth) int { return cmp.Compare(a.Field, b.Field) })
	slices.SortFunc(p.Layouts, func(a, b earshot.LayoutHealth) int {
		return cmp.Or(cmp.Compare(b.Seen, a.Seen), cmp.Compare(a.Layout, b.Layout))
	})
	p.Layouts = p.Layouts[:min(len(p.Layouts), maxLayouts+1)]
	slices.SortFunc(p.UnknownBlocks, func(a, b earshot.UnknownBlock) int {
		return cmp.Or(cmp.Compare(b.Seen, a.Seen), cmp.Compare(a.Title, b.Title))
	})
	p.UnknownBlocks = p.UnknownBlocks[:min(len(p.UnknownBlocks), maxUnknown)]
	return p
}

// HasAlarm reports whether a field has an alarm, in all documents together or in one layout version.
func HasAlarm(p earshot.ProviderHealth, field string) bool {
	return slices.ContainsFunc(p.Fields, func(f earshot.FieldHealth) bool { return f.Field == field && f.State == earshot.HealthAlarm }) ||
		slices.ContainsFunc(p.Layouts, func(l earshot.LayoutHealth) bool {
			return slices.ContainsFunc(l.Fields, func(f earshot.LayoutField) bool { return f.Field == field && f.State == earshot.HealthAlarm })
		})
}

// NewLayouts returns the share of the documents of the last day whose layout version was first seen in
// that time, or 0 if all layout versions are new, as in a new installation.
func NewLayouts(p earshot.ProviderHealth, now time.Time) (ratio float64) {
	old := false
	for _, l := range p.Layouts {
		if l.FirstSeen != nil && HourOf(now)-HourOf(l.FirstSeen.Time) < newFor {
			ratio += l.Share
		} else {
			old = true
		}
	}
	if !old {
		return 0
	}
	return ratio
}

// timesOf returns when a thing was first and last seen, or nil if that is not known.
func timesOf(seen map[outbound.Sighted]outbound.Sighting, key outbound.Sighted) (first, last *earshot.Timestamp) {
	at, ok := seen[key]
	if !ok {
		return nil, nil
	}
	return new(timeOf(at.First)), new(timeOf(at.Last))
}

func timeOf(hour int64) earshot.Timestamp { return earshot.At(hour * time.Hour.Milliseconds()) }

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
