// Package metric computes the metrics of a tracker from its answers, and how precise each
// number is: how often a brand is named and cited, at which position and with which share of
// voice (m1), and what answers contain besides text: searches, retrieved pages, products, ads
// and blocks of search pages (m2). The package is pure: it uses no store, no clock and no
// network.
//
//	definition.go   input: brands, prompts, targets and sweeps of a tracker
//	observation.go  input: one answer, with its mentions and citations
//	contents.go     input: searches, pages, products, ads and layout of an answer
//	reported.go     which of these an answer reports
//	product.go      products, merchants and prices of an answer
//	counts.go       CellCounts, the counts of one cell in one sweep
//	contentcounts.go  the counts of contents
//	sheet.go        Sheet, the counts of one target in one sweep; package tally stores it
//	dataset.go      Dataset, all sheets of a definition
//	query.go        splits the answers of a query into cuts (by, filter, having)
//	evidence.go     collects the counts of one cut
//	measure.go      the table of rates, ratios and means
//	sums.go         computes a rate, ratio or mean and its intervals
//	row.go          all metrics of one cut; sourcerows.go sourcecut.go: by source; contentrows.go: m2
//	via.go          rows and breaks by vendor
//	compare.go series.go stability.go noise.go grade.go components.go report.go  other results
//
// # From answers to numbers
//
// [CellCounts.Add] counts an answer in its cell and sweep. The counts of a target in a
// sweep form a [Sheet]. The sheets of a cut give its evidence, the evidence gives the
// [Sums] of a metric, and the sums give its value and intervals. [Dataset.AddSheet] adds
// stored sheets instead of answers and leads to exactly the same digits.
//
// # Terms
//
// A cell is a prompt version on a target. A sweep asks every cell once or several times.
// An answer is eligible if its outcome is answered or refused. All other planned answers
// are missing: they are left out of denominators and do not count as zero.
//
// # Which data a number needs
//
// The counts of each sweep × prompt × target are enough for every number, for any range of
// sweeps and any split. Counts are integers, so the order of additions does not change a
// sum. Large trackers read less:
//
//   - Sweep means need only the groups of each sweep × target. Rerun intervals, the lag-1
//     correlation, series and the smallest visible change follow from sweep means. All cells
//     of a [Group] have the same weight w and the same number n of answers in each denominator,
//     so that Σ w·x/n over its cells is w/n · Σx. Plain counts come from groups as well. A ratio
//     m2 leaves out cells without a denominator; a group knows its prompts, so that the weight
//     of the other cells is known.
//   - The value of a rate or ratio and its market interval need the counts of each prompt ×
//     target over the whole range, because each cell is averaged over all of its answers
//     first. Counts of neighbouring sweeps can be stored merged ([Dataset.AddSpan]).
//   - Splits by prompt, tag or time, stability, and comparisons of periods with different
//     cells need the counts of every sweep × prompt × target.
//   - citationShare by domain, URL or type, merchantShare, price and blockRate need the
//     answers: sheets contain no sources, products and blocks.
//
// # Adding a metric
//
// A rate or ratio needs an entry in the table measures (measure.go). If it divides by a number
// of answers that no metric divided by before, groupKey must contain that number. A new count
// needs, in counts.go, a field in CellCounts or BrandCounts, its lines in Add and Merge, a
// constant, and a column at the end of its table. The stored format then changes: raise
// the formats in package tally. A metric of another form needs a method of view in row.go and its
// name in the list unweighted.
package metric
