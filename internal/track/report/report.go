// Package report renders a tracker's numbers as a document for readers who have never seen
// the dashboard. A report compares one period with the previous one, as HTML or Markdown.
// The package computes no numbers: it shows the numbers that the API returns.
//
//	report.go                the input of a report
//	gather.go                reads the input
//	share.go                 the pages of a share link
//	send.go                  sends reports on a schedule or on request
//	page.go sections.go      the content, the same for both formats
//	words.go                 formats numbers and verdicts
//	chart.go                 the lines of brands
//	html.go markdown.go      the two formats, each with its template
package report

import (
	"time"

	"earshot"
)

// Input is the content of a report.
type Input struct {
	Tracker string
	// Brands are the tracker's brands, in the order of its definition.
	Brands []earshot.Brand
	// Zone is the tracker's time zone. All days of the report are days in Zone.
	Zone    *time.Location
	Created time.Time
	// Prompts is the number of prompts in the period. Branded is how many of them name a
	// brand.
	Prompts, Branded int

	// Compare has the visibility of brands in both periods.
	Compare *earshot.CompareReport
	// Numbers has the metrics of the period by brand, Targets the visibility by target.
	Numbers, Targets *earshot.MetricReport
	// Single is the visibility in each sweep of both periods. Means is the mean of each
	// sweep and the sweeps before it, at most Window together. Both have only the brands
	// of the chart, and are empty if there are too many answers to compute them.
	Single, Means []earshot.MetricRow
	// Moved compares single prompts for the own brands, tested together as one family. It
	// is nil if there are too many answers.
	Moved []earshot.ComparedRow
	// Sources and SourcesBefore are the sources that the answers of the two periods cite,
	// at most MaxSources each. If they are nil, NoSources is the reason.
	Sources, SourcesBefore *earshot.SourceReport
	NoSources              string
	// Sweeps are the sweeps that were due in either period, the oldest first.
	Sweeps []earshot.Sweep
	Breaks []Break
	// Reasons counts the missing answers of the period by reason.
	Reasons []earshot.ReasonCount
	// Shared is set for the page of a share link, which omits why answers are missing.
	Shared *Shared
}

// Break marks the sweep from which numbers are not comparable with earlier numbers.
type Break struct {
	Sweep, Reason string
}

const (
	// Window is the number of sweeps in each mean of the trend.
	Window = 7
	// MaxDrawn is the maximum number of brands in one chart.
	MaxDrawn = 5
	// MaxSources is the maximum number of sources that are read for a period.
	MaxSources = 1000

	shownSources = 15
	shownPrompts = 10
	// fewCitations is the number of citations that a source needs in one period to be
	// listed as gained or lost. Rarer sources come and go by chance.
	fewCitations = 10
)
