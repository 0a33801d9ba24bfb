// Package demo creates a demo that is long enough to detect the shift in it. It is tested without
// the race detector, with which it would take most of a minute; the small demos of package
// tracking run the same code with it.
package demo
