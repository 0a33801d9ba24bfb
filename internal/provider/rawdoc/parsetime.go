//go:build !race

package rawdoc

import "time"

// parseTime is how long the HTML parser may take over a document. It leaves
// 100 ms of the 500 that a document may take.
const parseTime = 400 * time.Millisecond
