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
	// maxWait limits the waits between attempts. If Retry-After is longer, the error is
	// returned instead.
	maxWait = 30 * time.Second
)

// repeat is the effect of sending a call twice.
type repeat int

const (
	// once is for calls that are processed and charged each time. They are retried only
	// if they were certainly not processed.
	once repeat = iota
	// idempotent is for calls that have the same effect however often they are sent.
	idempotent
	// replayed is for calls with an idempotency key: a repetition gets the answer of
	// the first call after that has ended.
	replayed
)

// lostError is the error of a request whose response did not arrive.
type lostError struct {
	err    error
	unsent bool // there was no connection, so the request was not processed
}

func (e *lostError) Error() string { return e.err.Error() }

func (e *lostError) Unwrap() error { return e.err }

// retry calls attempt until it succeeds or fails permanently, no retries are left, or ctx
// ends. It returns unsure if an attempt before the last one may have been processed
// although it failed.
func (c *Client) retry(ctx context.Context, r repeat, attempt func() error) (unsure bool, err error) {
	for n := 0; ; n++ {
		err := attempt()
		if err == nil || n >= c.retries || ctx.Err() != nil {
			return unsure, err
		}
		refused, lost := classify(err)
		if r == replayed && unsure && IsCode(err, earshot.CodeConflict) {
			refused = true // the attempt whose response was lost is still running
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

// classify reports whether an attempt was refused without being processed, or whether its
// response was lost, so that it may have been processed. Other errors are permanent.
func classify(err error) (refused, lost bool) {
	if answer, ok := errors.AsType[*Error](err); ok {
		switch answer.Code {
		case earshot.CodeRateLimit, earshot.CodeServerUnavailable:
			return true, false
		case "": // a proxy answered; the service may have processed the request
			return false, isGateway(answer.Status)
		default:
			return false, false
		}
	}
	if broken, ok := errors.AsType[*lostError](err); ok {
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

// retryAfter returns the Retry-After of err, or 0.
func retryAfter(err error) time.Duration {
	if answer, ok := errors.AsType[*Error](err); ok {
		return answer.retryAfter
	}
	return 0
}

// parseRetryAfter parses both forms of the header: seconds and a date.
func parseRetryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// backoff returns the wait after n previous waits. It doubles from first up to limit, and is
// reduced at random by up to a half, so that clients that failed together do not retry
// together.
func backoff(first, limit time.Duration, n int) time.Duration {
	wait := first
	for ; n > 0 && wait < limit; n-- {
		wait *= 2
	}
	wait = min(wait, limit)
	return wait - rand.N(wait/2+1)
}

// sleep waits. If ctx ends first, it returns cause wrapped with the error of ctx.
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
