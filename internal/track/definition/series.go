package definition

import (
	"slices"
	"strings"
	"time"

	"earshot/internal/provider"
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
// brand without domains has no citation rate, and a target that reports no ads has no ad rate.
func (d *Definition) SeriesKeys(targets []string) (keys []SeriesKey) {
	for _, own := range []bool{true, false} {
		for _, b := range d.Brands {
			for _, name := range alert.Metrics {
				if b.Own != own || name == "citationRate" && len(b.Domains) == 0 {
					continue
				}
				for _, target := range targets {
					if name == "adRate" && !d.mayReport(target, provider.Ads) {
						continue
					}
					keys = append(keys, SeriesKey{name, b.Name, target})
				}
			}
		}
	}
	return keys[:min(len(keys), maxSeries)]
}

// mayReport reports whether results on a target may have a field.
func (d *Definition) mayReport(target string, field provider.Fields) bool {
	name, _, _ := strings.Cut(target, "#") // the number of a target whose name is not unique
	for i, t := range d.Targets {
		if targetName(t) == name && d.Fields[i].Has(field) {
			return true
		}
	}
	return false
}

// TargetNames returns the names of the targets, which may not be unique.
func (d *Definition) TargetNames() (names []string) {
	for _, t := range d.Targets {
		names = append(names, targetName(t))
	}
	return names
}

// Detectors returns how many detectors share the budget of false alarms: one for each series, one
// for each rival that may appear in ads on a target, and one for the prices of products.
func (d *Definition) Detectors(targets []string) int {
	n := len(d.SeriesKeys(targets))
	for _, target := range targets {
		if d.mayReport(target, provider.Ads) {
			for _, b := range d.Brands {
				if !b.Own {
					n++
				}
			}
		}
	}
	if d.MayReportPrices() {
		n++
	}
	return n
}

// MayReportPrices reports whether results on any target may have products.
func (d *Definition) MayReportPrices() bool {
	return slices.ContainsFunc(d.Fields, func(f provider.Fields) bool { return f.Has(provider.Products) })
}

// Threshold returns the threshold h of the change detectors for a number of detectors and a
// sweep that is due at the given time.
func (d *Definition) Threshold(detectors int, due time.Time) float64 {
	return alert.Threshold(d.FalseAlarms(), detectors, d.SweepsPerYear(due))
}
