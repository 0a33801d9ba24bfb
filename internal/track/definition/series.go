package definition

import (
	"time"

	"earshot/internal/track/alert"
)

// defaultFalseAlarms is the budget of a tracker that says nothing of alerts.
const defaultFalseAlarms = 1

// usualSweeps is how many sweeps a year has of a tracker without a schedule.
const usualSweeps = 365

// maxSeries is how many series of a tracker are watched, those of its own brands first.
const maxSeries = 1000

// FalseAlarms is the tracker's budget of false alarms a year.
func (d *Definition) FalseAlarms() float64 {
	if d.Alerts == nil {
		return defaultFalseAlarms
	}
	return d.Alerts.FalseAlarmsPerYear
}

// SweepsPerYear is how many sweeps a year has by the schedule.
func (d *Definition) SweepsPerYear(from time.Time) float64 {
	if d.Rule == nil {
		return usualSweeps
	}
	return float64(max(1, d.SweepsIn(365, from)))
}

// SeriesKey names a series within a tracker.
type SeriesKey struct{ Metric, Brand, Target string }

// Subject is what an alert of a series is about.
func (k SeriesKey) Subject() string { return k.Metric + " of " + k.Brand + " on " + k.Target }

// SeriesKeys are the series of a definition: each metric of each brand on each target.
// Pages that a brand does not have cannot be cited.
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

// Threshold is the h of the change detectors, from the budget of false alarms over that
// many series, as a sweep that is due at a moment has them.
func (d *Definition) Threshold(series int, due time.Time) float64 {
	return alert.Threshold(d.FalseAlarms(), series, d.SweepsPerYear(due))
}
