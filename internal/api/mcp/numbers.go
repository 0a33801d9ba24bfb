package mcp

import (
	"fmt"
	"strings"

	"earshot"
)

// compareText returns a line with the verdict for each brand.
func compareText(report *earshot.CompareReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s (%d sweeps) compared with %s to %s (%d sweeps)", report.Period.From, report.Period.To, report.Period.Sweeps,
		report.Baseline.From, report.Baseline.To, report.Baseline.Sweeps)
	if report.MadeUp {
		b.WriteString("; the answers were " + byLab)
	}
	for _, row := range report.Rows {
		b.WriteString("\n" + strings.TrimPrefix(row.Brand+", ", ", ") + row.Target + ": " + row.Summary)
	}
	for _, cut := range report.Grades {
		fmt.Fprintf(&b, "\nThe metrics of %s are %s.", cut.Target, cut.Grade)
	}
	return b.String()
}

// metricsText returns a line for each value, with its sample size and interval.
func metricsText(report *earshot.MetricReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sweeps", report.Sweeps)
	if report.MadeUp {
		b.WriteString("; the answers were " + byLab)
	}
	for i := range report.Rows[:min(len(report.Rows), maxListed)] {
		b.WriteString("\n" + metricLine(&report.Rows[i]))
	}
	if more := len(report.Rows) - maxListed; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

func metricLine(row *earshot.MetricRow) string {
	of := []string{row.Metric}
	for _, part := range []string{row.Brand, row.Merchant, row.Product, row.Currency, row.Block, row.Target, row.Prompt, row.Tag, row.Sweep, row.Day, row.Week, row.Month} {
		if part != "" {
			of = append(of, part)
		}
	}
	text := strings.Join(of, ", ") + ": "
	if row.Value == nil && row.Reason != "" {
		return text + "unknown (" + row.Reason + ")"
	}
	if row.Value == nil {
		return text + "unknown"
	}
	text += fmt.Sprintf("%.3g of %d answers, %d missing", *row.Value, row.Answers, row.Missing)
	if row.Interval != nil && len(row.Interval.Rerun) == 2 {
		text += fmt.Sprintf(", expected range if re-run %.3g to %.3g", row.Interval.Rerun[0], row.Interval.Rerun[1])
	}
	if row.Lowest != nil {
		text += fmt.Sprintf(", lowest %.6g", *row.Lowest)
	}
	if row.Provisional {
		text += ", provisional"
	}
	if row.Note != "" {
		text += ", " + row.Note
	}
	return text
}

// searchesText returns a line for each search.
func searchesText(report *earshot.SearchReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d searches in %d answers", report.Total, report.Answers)
	if left := report.NotRequested + report.NotOffered; left > 0 {
		fmt.Fprintf(&b, "; %d more answers do not report searches", left)
	}
	if report.MadeUp {
		b.WriteString("; the answers were " + byLab)
	}
	list(&b, "The searches", report.Rows, func(row earshot.SearchRow) string {
		line := fmt.Sprintf("%s: %d answers, of which %d read a rival's page and none of yours", row.Search, row.Answers, row.Missed)
		if len(row.Added) > 0 {
			line += "; adds " + strings.Join(row.Added, ", ")
		}
		return line
	})
	return b.String()
}
