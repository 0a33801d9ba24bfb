package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/upstream/browser"
	"earshot/internal/upstream/egress"
)

// Failure is the error of an attempt that failed because of the upstream. Clients see
// its reason; its text is for the log.
type Failure struct {
	Reason earshot.Reason
	Err    error
	// Final says that another request to this upstream would fail in the same way.
	Final bool
	// RetryAfter is how long the upstream asked to wait before the next request, or 0.
	RetryAfter time.Duration
	// Everyone says that RetryAfter holds for all requests to this upstream, whichever
	// provider and job they are for. A vendor may block the address of a node that goes on.
	Everyone bool
	// Skipped says that the upstream was not asked, because its circuit is open.
	Skipped bool
	// Refused says that the upstream answered with an error or could not be reached at all,
	// so it did not accept the request. After a lost connection or a gateway's error nobody
	// knows.
	Refused bool
	// Status is the HTTP status of an answer with an error, or 0.
	Status int
	// Setting is the setting of the upstream that the failure is about, "" if there is none.
	Setting Setting
}

// Setting is a setting of an official API or a vendor that makes requests fail.
type Setting string

// The settings that a failure can be about.
const (
	SettingKey    Setting = "key"    // the key is wrong or may not do this
	SettingModel  Setting = "model"  // the model does not exist, or the key may not use it
	SettingStream Setting = "stream" // the model does not stream, or not for this key
)

// Fail returns a Failure with a text for the log.
func Fail(reason earshot.Reason, format string, args ...any) *Failure {
	return &Failure{Reason: reason, Err: fmt.Errorf(format, args...)}
}

func (f *Failure) Error() string { return fmt.Sprintf("upstream %s: %v", f.Reason, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Outcome returns a label for counting how an attempt or a part of it ended: "ok", the
// reason of a failure, or "error" if no upstream caused it.
func Outcome(err error) string {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return string(failure.Reason)
	}
	if err != nil {
		return "error"
	}
	return "ok"
}

// FailureOf classifies the error that ended a fetch.
func FailureOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	_, idle := errors.AsType[errIdle](cause)
	_, known := errors.AsType[*Failure](err)
	switch {
	case cause == nil && known:
		return err
	case errors.Is(err, browser.ErrBusy) && errors.Is(cause, context.DeadlineExceeded):
		return &Failure{Reason: earshot.ReasonTimeout, Err: err}
	case idle, errors.Is(cause, context.DeadlineExceeded):
		return &Failure{Reason: earshot.ReasonTimeout, Err: cause}
	case cause != nil:
		return cause
	default:
		// The URL in a *url.Error contains the user's question.
		if named, ok := errors.AsType[*url.Error](err); ok {
			err = named.Err
		}
		return &Failure{Reason: earshot.ReasonUnavailable, Err: err, Final: errors.Is(err, egress.ErrNoRoute), Refused: isDial(err)}
	}
}

// isDial reports whether no connection was made, so that nothing was sent.
func isDial(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

func statusFailure(status int) error {
	if status >= 200 && status < 300 {
		return nil
	}
	failure := Fail(earshot.ReasonUnavailable, "status %d", status)
	if status == http.StatusForbidden || status == http.StatusTooManyRequests {
		failure.Reason = earshot.ReasonBlocked
	}
	failure.Refused, failure.Status = refusedBy(status), status
	return failure
}

// explain adds the setting to change to the failure of a model that is gone or refused.
func (c *Client) explain(err error) error {
	failure, ok := errors.AsType[*Failure](err)
	if ok && failure.Setting == SettingModel && c.api != nil && c.api.Model != "" {
		failure.Err = fmt.Errorf("%w (the API refuses the model %s: name another one in %s or apis.%s.model)", failure.Err, c.api.Model, Variable(c.api.Name, "MODEL"), c.api.Name)
	}
	return err
}

// Variable returns the name of an environment variable of an official API or a vendor.
func Variable(name, what string) string { return "EARSHOT_" + strings.ToUpper(name) + "_" + what }

// refusedBy reports whether an answer with an error status means that the upstream did
// not accept the request. A gateway's error leaves that open.
func refusedBy(status int) bool {
	return status >= http.StatusBadRequest && status != http.StatusBadGateway && status != http.StatusGatewayTimeout && status != http.StatusRequestTimeout
}
