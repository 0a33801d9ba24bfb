package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"earshot"
	"earshot/internal/upstream/egress"
)

// Failure is an attempt that the upstream is to blame for. Its reason is what
// the client is told; its text is for the log.
type Failure struct {
	Reason earshot.Reason
	Err    error
	// Final says that this upstream would fail in the same way if it were asked again.
	Final bool
	// RetryAfter is how long the upstream asked to wait before the next request; 0
	// where it did not ask for that.
	RetryAfter time.Duration
	// Skipped says that the upstream was not asked at all, since its circuit is open.
	Skipped bool
}

// Fail makes a Failure with a text for the log.
func Fail(reason earshot.Reason, format string, args ...any) *Failure {
	return &Failure{Reason: reason, Err: fmt.Errorf(format, args...)}
}

func (f *Failure) Error() string { return fmt.Sprintf("upstream %s: %v", f.Reason, f.Err) }

// Unwrap gives the cause to errors.Is and errors.As.
func (f *Failure) Unwrap() error { return f.Err }

// Outcome is how an attempt or a part of it ended, in a word for whoever counts them:
// ok, the reason of a failure, or error for what no upstream is to blame for.
func Outcome(err error) string {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return string(failure.Reason)
	}
	if err != nil {
		return "error"
	}
	return "ok"
}

// failureOf classifies the error that ended a fetch.
func failureOf(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil && isFailure(err):
		return err
	case errors.Is(cause, errIdle), errors.Is(cause, context.DeadlineExceeded):
		return &Failure{Reason: earshot.ReasonTimeout, Err: cause}
	case cause != nil:
		return cause
	default:
		// The URL that a *url.Error names holds the user's question.
		if named, ok := errors.AsType[*url.Error](err); ok {
			err = named.Err
		}
		return &Failure{Reason: earshot.ReasonUnavailable, Err: err, Final: errors.Is(err, egress.ErrNoRoute)}
	}
}

func isFailure(err error) bool {
	_, ok := errors.AsType[*Failure](err)
	return ok
}

func statusFailure(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return Fail(earshot.ReasonBlocked, "status %d", status)
	default:
		return Fail(earshot.ReasonUnavailable, "status %d", status)
	}
}
