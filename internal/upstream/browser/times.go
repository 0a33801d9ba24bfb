//go:build !race

package browser

import "time"

const (
	// startTime is how long Chromium may take to answer its first call. On an idle
	// machine it takes 0.2 s.
	startTime = 20 * time.Second
	// openTime and closeTime are how long Chromium may take to open and to close a page.
	// Both normally take about 10 ms.
	openTime  = 10 * time.Second
	closeTime = 4 * time.Second
	// settledTime is how long a page must not change to count as settled.
	settledTime = 500 * time.Millisecond
	// takeTime is the part of a visit's time that is reserved for taking the page.
	takeTime = 2 * time.Second
)
