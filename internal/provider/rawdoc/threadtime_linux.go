package rawdoc

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that the current thread has used. Unlike the time of day,
// it stands still while other work has the processors, so a page that is fine remains readable on a
// busy node.
func threadTime() time.Duration {
	var used unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used) // cannot fail for this clock
	return time.Duration(used.Nano())
}
