package alert

import (
	"fmt"
	"strings"

	"earshot"
)

// metricNames are what metrics are called in a sentence.
var metricNames = map[string]string{"visibility": "Visibility", "citationRate": "The citation rate"}

// ShiftSummary tells of a shift, which began on a day such as 2026-11-15, in a sentence.
func ShiftSummary(s *earshot.SeriesShift, day string) string {
	verb := "rose"
	if s.Direction == "down" {
		verb = "fell"
	}
	text := fmt.Sprintf("%s of %s on %s %s from %s to %s since %s", metricNames[s.Metric], s.Brand, s.Target, verb, percent(s.From), percent(s.To), day)
	if len(s.Interval) == 2 {
		text += fmt.Sprintf(" (a change of %+.0f to %+.0f points, 95 %%)", 100*s.Interval[0], 100*s.Interval[1])
	}
	return text + "."
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// SourceSummary tells which sources moved.
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

// GateSummary tells why the series of targets do not go on with a sweep.
func GateSummary(kind earshot.AlertKind, targets []string, c Count) string {
	why := "came without an answer"
	if kind == earshot.AlertBlocked {
		why += ", mostly because the provider refused"
	}
	if kind == earshot.AlertUnreadable {
		why += ", mostly because the page could not be read"
	}
	return fmt.Sprintf("On %s, %d of %d questions %s; nothing is concluded from this sweep there.", strings.Join(targets, ", "), c.Planned-c.Answered, c.Planned, why)
}

// CeilingSummary tells that a month's ceiling is near.
func CeilingSummary(month string, committed, ceiling int64) string {
	return fmt.Sprintf("%d of the %d credits that %s may cost are spent or reserved; a sweep that might pass the ceiling is skipped.", committed, ceiling, month)
}

// SweepSummary tells that a sweep did not take place.
func SweepSummary(slot string, state earshot.SweepState) string {
	if state == earshot.SweepSkipped {
		return fmt.Sprintf("The sweep of %s was skipped: it might have passed the ceiling.", slot)
	}
	return fmt.Sprintf("The sweep of %s was missed: no node was there to start it in its window.", slot)
}
