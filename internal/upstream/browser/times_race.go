//go:build race

package browser

import "time"

// The times under the race detector, with which many tests share few cores.
const (
	startTime = 2 * time.Minute
	openTime  = time.Minute
	closeTime = 8 * time.Second // a test waits for its end
	takeTime  = 10 * time.Second
)
