// Package metric computes the metrics m1 of a tracker from its answers: how often a brand
// is named and cited, where, with which share of voice, and how far each number can be
// trusted. It is pure: no store, no clock, no network.
//
//	definition.go  what was asked
//	answer.go      what came back
//	tally.go       what is kept of the answers of a cell in a sweep
//	book.go        the tallies of a definition
//	measure.go     the table of metrics that are rates or ratios
//	sums.go        what a rate or ratio is computed from, and its intervals
//	query.go       by, filter and having: dividing answers into cuts
//	row.go         the numbers of a cut
//	report.go      all of it at once
//	compare.go, series.go, stability.go, grade.go, components.go  what their names say
//
// There is one way from answers to numbers. An answer is folded into the [Tally] of its
// cell and sweep; tallies are added up to the [Sums] of a cut; every value and interval is
// computed from sums. Whoever keeps tallies or sums instead of answers enters further
// down on the same way, with [Book.AddTally] or [Sums.Rate], and gets the same digits.
//
// # Words
//
// A cell is a prompt version on a target, a sweep one pass over all cells. An answer is
// eligible when it was answered or refused. Whatever else was planned is missing: it
// leaves denominators and does not count as zero.
//
// # What must be kept for which number
//
// A tally for each sweep × prompt × target, with its part for each brand, gives every
// number here for any range of sweeps and any division. It holds whole numbers only, so
// that adding is exact in any order. Less is enough for some:
//
//   - The sweep means, and with them rerun intervals, the lag-1 correlation, series and
//     their detector, comparisons of periods that have the same cells, and the smallest
//     visible change: [SweepSums] for each sweep × target × brand × metric. Prompts are
//     summed up with their weights, a pool of targets is their sum.
//   - The value of a rate or ratio and its market interval: [CellSums] for each prompt ×
//     target × brand × metric over all sweeps of the range, because a cell is averaged over
//     all of its answers first. Sweeps are summed up; prompts cannot be. Running totals,
//     kept at the close of each sweep, give any range as a difference of two.
//   - The headline rows by target and brand with both intervals therefore need SweepSums
//     (one row for each sweep × target × brand) and CellSums (one for each prompt × target ×
//     brand and range): the coarsest grain that is exact. Where nothing is missing, all
//     cells have as many answers as each other, the prompts have not changed, and the
//     value is the mean of the sweep means, so that only market still needs CellSums.
//   - position, listRank, rank, support and coverage are plain counts: a tally for each
//     sweep × target × brand, merged over the unbranded prompts (coverage over all).
//   - citationShare by domain, URL or type: the same sums with a source in place of a brand.
//   - stability, comparisons over the cells that two periods share where cells came and
//     went, and divisions by prompt or tag: the tallies themselves.
package metric
