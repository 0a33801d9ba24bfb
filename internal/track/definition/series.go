package definition

import (
	"time"

	"earshot/internal/track/alert"
)

const (
	// defaultFalseAlarms is the default budget of false alarms per year.
	defaultFalseAlarms = 1
	// usualSweeps is the assumed number of sweeps per year without a schedule.
	usualSweeps = 365
	// maxSeries is the maximum number of series with a change detector. Own brands come
	// first.
	maxSeries = 1000
)

// FalseAlarms returns the tracker's budget of false alarms per year.
func (d *Definition) FalseAlarms() float64 {
	if d.Alerts == nil {
		return defaultFalseAlarms
	}
	return d.Alerts.FalseAlarmsPerYear
}

// SweepsPerYear returns the number of scheduled sweeps in the year from a time on.
func (d *Definition) SweepsPerYear(from time.Time) float64 {
	if d.Rule == nil {
		return usualSweeps
	}
	return float64(max(1, d.SweepsIn(365, from)))
}

// SeriesKey names a series within a tracker.
type SeriesKey struct{ Metric, Brand, Target string }

// Subject returns the subject of alerts about the series.
func (k SeriesKey) Subject() string { return k.Metric + " of " + k.Brand + " on " + k.Target }

// SeriesKeys returns the series of a definition: each metric of each brand on each target. A
// brand without domains has no citation rate.
func (d *Definition) SeriesKeys(targets []string) (keys []SeriesKey) {
	for _, own := range []bool{true, false} {
		for _, b := range d.Brands {
			for _, name := range alert.Metrics {
				if b.Own != own || name == "citationRate" && len(b.Domains) == 0 {
					continue
				}
				for _, target := range targets {
					keys = append(keys, SeriesKey{name, b.Name, target})
				}
			}
		}
	}
	return keys[:min(len(keys), maxSeries)]
}

// Threshold returns the threshold h of the change detectors for a number of series and a
// sweep that is due at the given time.
func (d *Definition) Threshold(series int, due time.Time) float64 {
	return alert.Threshold(d.FalseAlarms(), series, d.SweepsPerYear(due))
}
