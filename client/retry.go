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
	usualRetries = 4
	firstWait    = 250 * time.Millisecond
	// longestWait bounds the waits between tries. A service that asks for more is
	// not waited for: its error is the better answer.
	longestWait = 30 * time.Second
)

// repeat says what it means to send a call twice.
type repeat int

const (
	// once is for calls that do their work, and charge for it, each time. They are
	// sent again only when it is certain that nothing was done.
	once repeat = iota
	// harmless is for calls that come to the same however often they are sent.
	harmless
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

// retry makes attempts until one succeeds, fails for good, or the retries or ctx
// are spent. It tells unsure when an attempt before the last may have done its
// work although it failed.
func (c *Client) retry(ctx context.Context, r repeat, attempt func() error) (unsure bool, err error) {
	for n := 0; ; n++ {
		err := attempt()
		if err == nil || n >= c.retries || ctx.Err() != nil {
			return unsure, err
		}
		refused, lost := judge(err)
		if r == replayed && unsure && IsCode(err, earshot.CodeConflict) {
			refused = true // the try whose answer was lost still runs
		}
		if !refused && (!lost || r == once) {
			return unsure, err
		}
		pause, asked := backoff(firstWait, longestWait, n), retryAfter(err)
		if asked > longestWait {
			return unsure, err
		}
		if err := sleep(ctx, max(pause, asked), err); err != nil {
			return unsure, err
		}
		unsure = unsure || lost
	}
}

// judge tells what an error says about the attempt that gave it: refused, so that
// nothing was done, or lost, so that nobody knows. One that is neither is final.
func judge(err error) (refused, lost bool) {
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

// backoff is the wait after n waits before it: it doubles from first to most, and
// is cut at random by up to a half, so that clients which failed together do not
// come back together.
func backoff(first, most time.Duration, n int) time.Duration {
	wait := first
	for ; n > 0 && wait < most; n-- {
		wait *= 2
	}
	wait = min(wait, most)
	return wait - rand.N(wait/2+1)
}

// sleep waits. When ctx ends sooner it says so, and what was waited for.
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
