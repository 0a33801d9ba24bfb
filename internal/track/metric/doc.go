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
//	sheet.go        the counts of one target in one sweep, as columns; package cells stores them
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
// [CellCounts.Add] counts an answer in its cell and sweep. The counts of a target in a sweep are
// columns, stored by [Dataset.Store] and read by [Dataset.AddStored]. The columns of a cut, added up
// by prompt and by sweep, are its evidence; the evidence gives the [Sums] of a metric, and the sums
// its value and intervals. Counted and stored answers lead to exactly the same digits.
//
// # Terms
//
// A cell is a prompt version on a target. A sweep asks every cell once or several times.
// An answer is eligible if its outcome is answered or refused. All other planned answers
// are missing: they are left out of denominators and do not count as zero.
//
// # Which data a number needs
//
// The counts of each sweep × prompt × target are enough for every number, for any range of sweeps
// and any split. Counts are integers, so the order of additions does not change a sum. Within a
// sweep, cells with the same weight w and the same number n of answers in each denominator are added
// up first, because Σ w·x/n over them is w/n · Σx. A query reads only the columns, and from the store
// only the families of columns, that its metrics read.
//
// citationShare by domain, URL or type, merchantShare, price, blockRate and the stability of domains
// need the answers: columns contain no sources, products and blocks.
//
// # Adding a metric
//
// A rate or ratio needs an entry in the table measures (measure.go). If it divides by a number
// of answers that no metric divided by before, denominators must contain that number. A new count
// needs, in counts.go, a field in CellCounts or BrandCounts, its lines in Add and Merge, a
// constant, and a column at the end of its table. Stored columns outlive their answers, so the
// columns of a family never change: new counts are a new family. A metric of another form needs a method of view in row.go and its
// name in the list unweighted.
package metric
