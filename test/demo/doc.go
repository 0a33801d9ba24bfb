// Package demo creates a demo that is long enough to detect the shift in it. Under the race
// detector that would take most of a minute, and the small demos of package tracking run
// the same code, so this package is not built there. make test ends with a run without the
// race detector, which includes it.
package demo
