// Package alert decides when something about a tracker is worth telling. It is pure: it
// is handed numbers, and gives back what they say.
//
//	series.go   one metric of one brand on one target, stepped sweep by sweep
//	gate.go     sweeps of which too much is missing
//	source.go   which cited sources moved
//	words.go    what is told, in a sentence
package alert
