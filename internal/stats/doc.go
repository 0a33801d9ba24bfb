// Package stats contains the statistics of intervals, comparisons and alerts. Its functions
// are pure and do not round.
//
// The unit of replication is the sweep, because answers of one day resemble each other more
// than answers of different days. All functions work on sweep means, in the order of slots,
// and on the means of cells.
//
//	quantile.go  Student and normal quantiles
//	wilson.go    Wilson interval with an effective sample size
//	longrun.go   long-run variance of a mean of autocorrelated sweep means
//	interval.go  the rerun interval and the market interval
//	change.go    Welch's test for two periods, and the smallest visible change
//	cusum.go     the self-starting CUSUM of one series, and its threshold
//	series.go    the stored state of the CUSUM of one series
//	screen.go    Benjamini–Hochberg for many tests
//	distance.go  Jaccard and Bray–Curtis distances, mode
//	plan.go      the smallest visible change of a plan
//	power.go     the power of the CUSUM of a plan
package stats
