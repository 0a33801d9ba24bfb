//go:build race

package browser

import "time"

// Timeouts under the race detector, which makes everything slower.
const (
	startTime = 2 * time.Minute
	openTime  = time.Minute
	closeTime = 8 * time.Second // short, because a test waits for this timeout

	settledTime = 2 * time.Second
	takeTime    = 10 * time.Second
)
