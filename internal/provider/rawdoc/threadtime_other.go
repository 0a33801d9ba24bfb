//go:build !linux

package rawdoc

import "time"

var started = time.Now()

// threadTime returns the time since the start of the program, in place of the processor time that
// the current thread has used.
func threadTime() time.Duration { return time.Since(started) }
