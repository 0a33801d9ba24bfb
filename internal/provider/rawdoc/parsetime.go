//go:build !race

package rawdoc

import "time"

// parseTime limits the processor time of the HTML parser for one document. It leaves 100 ms of the
// 500 ms allowed for reading a document.
const parseTime = 400 * time.Millisecond
