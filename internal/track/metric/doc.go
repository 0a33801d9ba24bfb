// Package metric computes the metrics m1 of a tracker from its answers: how often a brand
// is named and cited, where, with which share of voice, and how far each number can be
// trusted. It is pure: no store, no clock, no network.
//
//	definition.go  what was asked
//	observation.go what came back
//	counts.go      what is kept of the answers of a cell in a sweep; places.go: by place
//	sheet.go       what is kept of a target in a sweep; pack.go: in few bytes
//	dataset.go     the sheets of a definition
//	evidence.go    what the numbers of a cut are computed from
//	measure.go     the table of metrics that are rates or ratios
//	sums.go        what a rate or ratio is computed from, and its intervals
//	query.go       by, filter and having: dividing answers into cuts
//	row.go         the numbers of a cut
//	report.go      all of it at once
//	compare.go, series.go, stability.go, grade.go, components.go  what their names say
//
// There is one way from answers to numbers. An answer is folded into the [CellCounts] of its
// cell and sweep. The tallies of a target in a sweep make a [Sheet]. From the sheets of a
// cut come its groups and cells (evidence.go), from these the [Sums] of a metric, and from
// sums every value and interval. Whoever keeps sheets instead of answers enters further
// down on the same way, with [Dataset.AddSheet], and gets the same digits.
//
// # Words
//
// A cell is a prompt version on a target, a sweep one pass over all cells. An answer is
// eligible when it was answered or refused. Whatever else was planned is missing: it
// leaves denominators and does not count as zero.
//
// # What is kept for which number
//
// A tally for each sweep × prompt × target gives every number here, for any range of
// sweeps and any division. It holds whole numbers only, so that adding is exact in any
// order. Where there are millions, less is read:
//
//   - Sweep means, and with them rerun intervals, the lag-1 correlation, series and their
//     detector, the smallest visible change: the groups of each sweep × target. The cells
//     of a group have the same weight and as many eligible answers, so that Σ w·x/n over
//     them is w/n · Σx, with a whole number Σx. They also give what is a plain count.
//   - The value of a rate or ratio and its market interval: the tally of each prompt ×
//     target over all sweeps of the range, because a cell is averaged over all of its
//     answers first. Those of neighbouring sweeps can be kept together ([Dataset.AddSpan]).
//   - Divisions by prompt, tag and time, stability, and comparisons where cells came and
//     went: the tallies themselves.
//   - citationShare by domain, URL or type is counted from answers: sheets have no sources.
package metric
