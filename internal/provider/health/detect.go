package health

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/stats"
	"earshot/internal/store/outbound"
)

const (
	// checkEvery is the interval at which Check reads what other nodes have stored.
	checkEvery = time.Minute
	// lateCounts is how long after an hour its counts may still arrive. Later counts are reported, but
	// the detectors ignore them.
	lateCounts = 10 * time.Minute
	// minSeen is the minimum number of observations of a value. Hours with fewer are added up: rates
	// of fewer observations are so skewed that they raise too many false alarms.
	minSeen = 50
	// falseAlarms is the budget of false alarms per year for all detectors of a provider and surface.
	falseAlarms  = 1
	hoursPerYear = 365.25 * day
	// minDrop is the share of the fill rate before a fall that must be missing for an alarm. A smaller
	// fall is only low.
	minDrop = 0.1
	// normalValues is how many values in succession must be near the fill rate before a fall to end
	// the alarm.
	normalValues = 3
)

// seriesKey identifies a series of fill rates. Layout is "" for all documents together.
type seriesKey struct{ Provider, Layout, Field string }

// detector is the change detector of a series.
type detector struct {
	outbound.FieldSeries
	state detectorState
}

// detectorState is stored as JSON.
type detectorState struct {
	Series stats.SeriesState `json:"series"`
	// Level is the mean before the values that the detector's sum of falls consists of.
	Level float64 `json:"level"`
	// Seen and Filled are counts that are too few for a value.
	Seen   int64 `json:"seen,omitempty"`
	Filled int64 `json:"filled,omitempty"`
	Alarm  *fall `json:"alarm,omitempty"`
}

// fall is a lasting fall of a fill rate.
type fall struct {
	At     int64   `json:"at"`    // the hour in which it was found
	Since  int64   `json:"since"` // the hour in which it began, as estimated
	Level  float64 `json:"level"` // the fill rate before
	Rate   float64 `json:"rate"`  // the last value
	Normal int     `json:"normal,omitempty"`
}

// isSmall reports whether a fill rate is less than minDrop below the level before the fall.
func (f *fall) isSmall(rate float64) bool { return rate >= (1-minDrop)*f.Level }

// open returns the fall that the operator has not acknowledged, or nil.
func (d *detector) open() *fall {
	if d.state.Alarm == nil || d.state.Alarm.At <= d.Acknowledged {
		return nil
	}
	return d.state.Alarm
}

// health returns the state of the series. It may be called on nil.
func (d *detector) health() earshot.HealthState {
	switch {
	case d == nil:
		return earshot.HealthUnknown
	case d.open() != nil && d.open().isSmall(d.open().Rate):
		return earshot.HealthLow
	case d.open() != nil:
		return earshot.HealthAlarm
	case d.state.Series.Level[0].Sweeps <= stats.WarmUp:
		return earshot.HealthUnknown
	default:
		return earshot.HealthOK
	}
}

// step adds the counts of the next hour, with h as the threshold of the detector.
func (d *detector) step(hour int64, c outbound.FieldCount, h float64) {
	s := &d.state
	d.Hour = hour
	s.Seen, s.Filled = s.Seen+c.Seen, s.Filled+c.Filled
	if s.Seen < minSeen {
		return
	}
	rate := float64(s.Filled) / float64(s.Seen)
	if before := s.Series.Level[0]; s.Series.DownSince == "" && before.N > 0 {
		s.Level = before.X / before.N
	}
	_, shift, found := s.Series.Step(stats.Value{
		Sweep: strconv.FormatInt(hour, 10), Cells: []stats.CellValue{{Weight: 1, N: float64(s.Seen), X: float64(s.Filled)}},
		Basis: strconv.Itoa(provider.ParserVersion),
	}, h)
	s.Seen, s.Filled = 0, 0
	s.Alarm = d.open()
	switch {
	case s.Alarm != nil:
		s.Alarm.Rate = rate
		if !s.Alarm.isSmall(rate) {
			s.Alarm.Normal = 0
		} else if s.Alarm.Normal++; s.Alarm.Normal == normalValues {
			s.Alarm, s.Series = nil, stats.SeriesState{}
		}
	case found && shift.Direction == stats.Down:
		since, _ := strconv.ParseInt(shift.Since, 10, 64) // written by this function
		s.Alarm = &fall{At: hour, Since: since, Level: s.Level, Rate: rate}
	}
}

// detectors returns the stored detectors.
func detectors(ctx context.Context, s *outbound.Store) (map[seriesKey]*detector, error) {
	rows, err := s.FieldSeries(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[seriesKey]*detector, len(rows))
	for _, row := range rows {
		d := &detector{FieldSeries: *row}
		if err := json.Unmarshal(row.State, &d.state); err != nil {
			return nil, fmt.Errorf("read the detector of %s of %s: %w", row.Field, row.Provider, err)
		}
		all[seriesKey{row.Provider, row.Layout, row.Field}] = d
	}
	return all, nil
}

// Check runs the change detectors over the hours that have ended, and reads what other nodes have
// seen. Several nodes may do this at once: they compute the same states.
func (w *Watch) Check(ctx context.Context, now time.Time) error {
	if now.Sub(w.checked) < checkEvery {
		return nil
	}
	all, err := detectors(ctx, w.store)
	if err != nil {
		return err
	}
	if last := HourOf(now.Add(-lateCounts)) - 1; last > w.stepped {
		if err := w.detect(ctx, all, last); err != nil {
			return err
		}
		w.stepped = last
	}
	if err := w.learn(ctx, now, all); err != nil {
		return err
	}
	w.checked = now
	return nil
}

// detect runs the detectors over the hours up to last.
func (w *Watch) detect(ctx context.Context, all map[seriesKey]*detector, last int64) error {
	counts, err := w.store.FieldCounts(ctx, max(w.stepped+1, last-baselineHours))
	if err != nil {
		return err
	}
	series, perProvider := map[seriesKey]map[int64]outbound.FieldCount{}, map[string]int{}
	for key := range all {
		perProvider[key.Provider]++
	}
	add := func(key seriesKey, hour int64, c outbound.FieldCount) {
		if series[key] == nil {
			series[key] = map[int64]outbound.FieldCount{}
		}
		if all[key] == nil {
			all[key] = &detector{FieldSeries: outbound.FieldSeries{Provider: key.Provider, Layout: key.Layout, Field: key.Field}}
			perProvider[key.Provider]++
		}
		series[key][hour] = sum(series[key][hour], c)
	}
	for key, c := range counts {
		if key.Hour > last || strings.HasPrefix(key.Field, unknownPrefix) {
			continue
		}
		add(seriesKey{key.Provider, "", key.Field}, key.Hour, c)
		// Only documents that were understood have a layout version.
		if key.Layout != "" && key.Layout != otherLayouts && key.Field != Understood {
			add(seriesKey{key.Provider, key.Layout, key.Field}, key.Hour, c)
		}
	}
	var changed []*outbound.FieldSeries
	for key, hours := range series {
		d := all[key]
		before, h := d.Hour, stats.Threshold(falseAlarms, perProvider[key.Provider], hoursPerYear, stats.DefaultK)
		for _, hour := range slices.Sorted(maps.Keys(hours)) {
			if hour > before {
				d.step(hour, hours[hour], h)
			}
		}
		if d.Hour > before {
			if d.State, err = json.Marshal(d.state); err != nil {
				return err
			}
			changed = append(changed, &d.FieldSeries)
		}
	}
	slices.SortFunc(changed, func(a, b *outbound.FieldSeries) int {
		return strings.Compare(a.Provider+"\x00"+a.Layout+"\x00"+a.Field, b.Provider+"\x00"+b.Layout+"\x00"+b.Field)
	})
	return w.store.SaveFieldSeries(changed)
}
