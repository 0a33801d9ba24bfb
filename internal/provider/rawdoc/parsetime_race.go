//go:build race

package rawdoc

import "time"

// parseTime under the race detector, which slows parsing twentyfold, most of all
// where many tests run at once.
const parseTime = 20 * time.Second
