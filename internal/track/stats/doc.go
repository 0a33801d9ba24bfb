// Package stats is the arithmetic behind every interval, comparison and alert. It is
// pure: numbers in, numbers out, no state but what a caller keeps.
//
// The replicate is the sweep, one pass over all questions, because answers of one day
// resemble each other more than answers of different days. Every function works on the
// means of sweeps, in the order in which they were asked, and on the means of cells.
//
//	quantile.go  Student and normal quantiles
//	wilson.go    the interval of a proportion, on an effective number of answers
//	longrun.go   the variance of a mean of sweeps that resemble their neighbours
//	interval.go  the two intervals: "asked again" and "questions like these"
//	change.go    two periods: Welch's test and the smallest change that it could see
//	cusum.go     one series: the self-starting CUSUM and its threshold
//	screen.go    many tests at once: Benjamini and Hochberg
//	distance.go  sets and counts of two sweeps: Jaccard, Bray and Curtis
//	plan.go      how many questions and sweeps it takes to see a change
//
// Nothing is rounded.
package stats
