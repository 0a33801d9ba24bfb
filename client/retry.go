package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"earshot"
)

const (
	defaultRetries = 4
	firstWait      = 250 * time.Millisecond
	// maxWait limits the waits between tries. If the service asks for more, its error is
	// returned instead.
	maxWait = 30 * time.Second
)

// repeat says what happens when a call is sent twice.
type repeat int

const (
	// once is for calls that do their work, and charge for it, each time. They are
	// sent again only when it is certain that nothing was done.
	once repeat = iota
	// idempotent is for calls that have the same effect however often they are sent.
	idempotent
	// replayed is for calls with an idempotency key: a repetition gets the answer of
	// the first, once that has ended.
	replayed
)

// lostError is a request whose answer did not arrive.
type lostError struct {
	err    error
	unsent bool // there was no connection, so nothing can have been done
}

func (e *lostError) Error() string { return e.err.Error() }

func (e *lostError) Unwrap() error { return e.err }

// retry makes attempts until one succeeds or fails finally, no retries are left, or ctx
// ends. unsure says that an attempt before the last may have done its work although it
// failed.
func (c *Client) retry(ctx context.Context, r repeat, attempt func() error) (unsure bool, err error) {
	for n := 0; ; n++ {
		err := attempt()
		if err == nil || n >= c.retries || ctx.Err() != nil {
			return unsure, err
		}
		refused, lost := classify(err)
		if r == replayed && unsure && IsCode(err, earshot.CodeConflict) {
			refused = true // the try whose answer was lost still runs
		}
		if !refused && (!lost || r == once) {
			return unsure, err
		}
		pause, requested := backoff(firstWait, maxWait, n), retryAfter(err)
		if requested > maxWait {
			return unsure, err
		}
		if err := sleep(ctx, max(pause, requested), err); err != nil {
			return unsure, err
		}
		unsure = unsure || lost
	}
}

// classify tells from the error of an attempt whether it was refused, so that nothing
// was done, or its answer was lost, so that it is unknown. Other errors are final.
func classify(err error) (refused, lost bool) {
	var answer *Error
	if errors.As(err, &answer) {
		switch answer.Code {
		case earshot.CodeRateLimit, earshot.CodeServerUnavailable:
			return true, false
		case "": // something between the client and the service, which knows nothing of its work
			return false, isGateway(answer.Status)
		default:
			return false, false
		}
	}
	var broken *lostError
	if errors.As(err, &broken) {
		return broken.unsent, !broken.unsent
	}
	return false, false
}

func isGateway(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter is how long the service asks to wait, 0 if it does not.
func retryAfter(err error) time.Duration {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.retryAfter
	}
	return 0
}

// parseRetryAfter reads both forms of the header: seconds and a date.
func parseRetryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// backoff is the wait after n previous waits: it doubles from first up to limit, and is
// reduced at random by up to a half, so that clients which failed together do not come
// back together.
func backoff(first, limit time.Duration, n int) time.Duration {
	wait := first
	for ; n > 0 && wait < limit; n-- {
		wait *= 2
	}
	wait = min(wait, limit)
	return wait - rand.N(wait/2+1)
}

// sleep waits. When ctx ends first, it returns cause together with the error of ctx.
func sleep(ctx context.Context, wait time.Duration, cause error) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w (%w)", cause, ctx.Err())
	}
}
