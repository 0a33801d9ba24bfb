package upstream

import (
	"fmt"
	"time"

	"earshot"
)

// Failure is an attempt that the upstream is to blame for. Its reason is what
// the client is told; its text is for the log.
type Failure struct {
	Reason earshot.Reason
	Err    error
	// Final says that this upstream will say the same to the same question.
	Final bool
	// RetryAfter is how long the upstream asked to be left alone; 0 for no such
	// wish.
	RetryAfter time.Duration
	// Unasked says that the upstream was not asked at all, since it is to be left
	// alone.
	Unasked bool
}

// Fail makes a Failure with a text for the log.
func Fail(reason earshot.Reason, format string, args ...any) *Failure {
	return &Failure{Reason: reason, Err: fmt.Errorf(format, args...)}
}

func (f *Failure) Error() string { return fmt.Sprintf("upstream %s: %v", f.Reason, f.Err) }

// Unwrap gives the cause to errors.Is and errors.As.
func (f *Failure) Unwrap() error { return f.Err }
