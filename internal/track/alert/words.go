package alert

import (
	"fmt"
	"strings"
	"time"

	"earshot"
)

// metricNames are the names of metrics at the start of a sentence.
var metricNames = map[string]string{"visibility": "Visibility", "citationRate": "The citation rate", "adRate": "The ad rate"}

// Day formats a day such as 2026-11-15 for readers: 15 Nov 2026.
func Day(day string) string { return formatted(day, time.DateOnly, "2 Jan 2006") }

// formatted changes the layout of a time. A text with another layout is returned unchanged.
func formatted(text, from, to string) string {
	at, err := time.Parse(from, text)
	if err != nil {
		return text
	}
	return at.Format(to)
}

// ShiftSummary returns the summary of a shift that began on a day such as 2026-11-15.
func ShiftSummary(s *earshot.SeriesShift, day string) string {
	verb := "rose"
	if s.Direction == "down" {
		verb = "fell"
	}
	text := fmt.Sprintf("%s of %s on %s %s from %s to %s since %s. Larger than normal variation", metricNames[s.Metric], s.Brand, s.Target, verb, percent(s.From), percent(s.To), Day(day))
	if len(s.Interval) == 2 {
		text += fmt.Sprintf(" (expected change if re-run: %+.0f to %+.0f points)", 100*s.Interval[0], 100*s.Interval[1])
	}
	return text + "."
}

// RecoveredSummary returns the summary of an alert about the end of a shift that began on a day.
func RecoveredSummary(s *earshot.SeriesShift, day string) string {
	return fmt.Sprintf("%s of %s on %s is back within the range from before %s, about %s.", metricNames[s.Metric], s.Brand, s.Target, Day(day), percent(s.From))
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// SourceSummary returns the summary of an alert about sources.
func SourceSummary(moved []earshot.SourceShift) string {
	var gained, lost []string
	for _, s := range moved {
		text := fmt.Sprintf("%s (%s to %s of citations)", s.Domain, tenths(s.From), tenths(s.To))
		if s.To > s.From {
			gained = append(gained, text)
		} else {
			lost = append(lost, text)
		}
	}
	var parts []string
	if len(gained) > 0 {
		parts = append(parts, "cited more than before: "+strings.Join(gained, ", "))
	}
	if len(lost) > 0 {
		parts = append(parts, "cited less than before: "+strings.Join(lost, ", "))
	}
	text := strings.Join(parts, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func tenths(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// GateSummary returns the summary of an alert about missing answers.
func GateSummary(kind earshot.AlertKind, targets []string, c Count) string {
	why := ""
	switch kind {
	case earshot.AlertBlocked:
		why = ", mostly because the provider blocked the request"
	case earshot.AlertUnreadable:
		why = ", mostly because the page could not be read"
	default:
	}
	return fmt.Sprintf("On %s, %d of %d answers are missing%s. Change detection skips this sweep there.", strings.Join(targets, ", "), c.Planned-c.Answered, c.Planned, why)
}

// CeilingSummary returns the summary of an alert about the ceiling of a month such as
// 2026-11.
func CeilingSummary(month string, committed, ceiling int64) string {
	return fmt.Sprintf("%d of %d credits of the ceiling for %s are spent or reserved. A sweep that could exceed the ceiling is skipped.", committed, ceiling, formatted(month, "2006-01", "Jan 2006"))
}

// SweepSummary returns the summary of an alert about a sweep that did not run. slot is a
// civil time with a time zone, such as "2026-11-15T06:00 Europe/Berlin", or "manual" with the
// key of a sweep that was started manually.
func SweepSummary(slot string, state earshot.SweepState) string {
	at, zone, _ := strings.Cut(slot, " ")
	sweep := fmt.Sprintf("The sweep of %s (%s)", formatted(at, "2006-01-02T15:04", "2 Jan 2006, 15:04"), zone)
	if at == "manual" {
		sweep = fmt.Sprintf("The manual sweep %s", zone)
	}
	if state == earshot.SweepSkipped {
		return sweep + " was skipped: it could have exceeded the monthly ceiling."
	}
	return sweep + " was missed: the service was not running in the sweep's time window."
}
