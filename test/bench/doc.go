// Package bench measures the service: what it adds to a bare HTTP handler, what
// a waiting call costs in memory, what the shared rate window costs,
// what is left of it under more load than it can bear, and what trackers
// add to the queue. Run it by
// make bench; the figures that belong together come from one run.
package bench
