package alert

import "earshot/internal/stats"

// Metrics are the metrics that have a change detector. Share of voice has none: it changes
// with the visibility of any brand and would raise the same alert twice.
var Metrics = []string{"visibility", "citationRate", "adRate"}

// Threshold returns the threshold h at which all series together raise the given number of
// false alarms per year.
func Threshold(falseAlarms float64, series int, sweepsPerYear float64) float64 {
	return stats.Threshold(falseAlarms, max(1, series), sweepsPerYear, stats.DefaultK)
}
