//go:build !race

package browser

import "time"

const (
	// startTime is how long Chromium may take to answer its first call. It is 0.2 s
	// on an idle machine.
	startTime = 20 * time.Second
	// openTime and closeTime are how long Chromium may take to open an empty page and
	// to close one. Both normally take some 10 ms; one that needs longer is stuck.
	openTime  = 10 * time.Second
	closeTime = 4 * time.Second
	// takeTime is what a wait leaves of a visit's time to take the page.
	takeTime = 2 * time.Second
)
