//go:build race

package rawdoc

import "time"

// parseTime is longer under the race detector, which makes parsing twenty times slower.
const parseTime = 20 * time.Second
