// Package bench measures the service: its overhead over a bare HTTP handler, the memory of
// a waiting call, the cost of the shared rate window, the throughput under overload, and
// the load of trackers on the queue. Run it with make bench. Compare only figures of the
// same run.
package bench
