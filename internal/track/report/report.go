// Package report makes a document of a tracker's numbers that a person can read who has
// never seen the dashboard: one period against the one before, as HTML or as Markdown. It
// computes no number, but takes the numbers that the API gives.
//
//	report.go                what goes in
//	gather.go                reading the numbers of a report
//	send.go                  sending reports that are due, or at once
//	page.go sections.go      what a report says, in words, the same for both formats
//	words.go                 numbers as people read them
//	chart.go                 where lines, bands and marks are drawn
//	html.go markdown.go      the two formats, each with its template
package report

import (
	"time"

	"earshot"
)

// Input is what a report is made of.
type Input struct {
	Tracker string
	// Brands is the panel, in its order.
	Brands []earshot.Brand
	// Zone is the tracker's time zone, whose days are meant.
	Zone *time.Location
	Made time.Time
	// Prompts are all questions of the period; Branded of them name a brand themselves.
	Prompts, Branded int

	// Compare has the visibility of brands in both periods.
	Compare *earshot.CompareReport
	// Numbers are those of the period, by brand; Targets the visibility by target.
	Numbers, Targets *earshot.MetricReport
	// Single is the visibility in each sweep of both periods, and Means the mean of each
	// sweep and those before it, at most Window of them. They have only the brands that
	// are drawn. Without Means, there are too many answers to compute them.
	Single, Means []earshot.MetricRow
	// Moved compares single questions for the own brands. The verdicts are those of a
	// screen of all of them. It is nil where there are too many answers.
	Moved []earshot.ComparedRow
	// Sources and SourcesBefore are what the answers of the two periods cite, at most
	// MaxSources each. They are nil where NoSources says why.
	Sources, SourcesBefore *earshot.SourceReport
	NoSources              string
	// Sweeps are those that were due in either period, the oldest first.
	Sweeps []earshot.Sweep
	Breaks []Break
	// Reasons count what is missing in the period.
	Reasons []earshot.ReasonCount
}

// Break is where numbers stop being comparable with those before, before a sweep.
type Break struct {
	Sweep, Reason string
}

const (
	// Window is how many sweeps a point of the trend is the mean of.
	Window = 7
	// MaxDrawn is how many brands are drawn in one chart.
	MaxDrawn = 5
	// MaxSources is how many sources of a period are looked at.
	MaxSources = 1000

	shownSources = 15
	shownPrompts = 10
	// fewCitations is what a source must have in one period for its absence in the other
	// to tell something: with less, asking again would bring others.
	fewCitations = 10
)
