// Package demo makes a demo that is long enough for the shift in it to be found. Under the
// race detector that takes most of a minute, and the small demos of package tracking go the
// same way, so it is not built there: the run without it that make test ends with has it.
package demo
