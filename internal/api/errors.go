package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/job"
	"earshot/internal/limits/ratelimit"
)

// statusClientGone is what a response to a client that has left is counted as.
const statusClientGone = 499

// statuses is the one table from codes to statuses. Only a validation error has
// another where tasks are submitted: 422.
var statuses = map[earshot.Code]int{
	earshot.CodeValidation:        http.StatusBadRequest,
	earshot.CodeMissingKey:        http.StatusUnauthorized,
	earshot.CodeInvalidKey:        http.StatusUnauthorized,
	earshot.CodeNoCredits:         http.StatusForbidden,
	earshot.CodeKeyBudget:         http.StatusForbidden,
	earshot.CodeNoPermission:      http.StatusForbidden,
	earshot.CodeNotFound:          http.StatusNotFound,
	earshot.CodeAlreadyExists:     http.StatusConflict,
	earshot.CodeConflict:          http.StatusConflict,
	earshot.CodeQueueLimit:        http.StatusTooManyRequests,
	earshot.CodeRateLimit:         http.StatusTooManyRequests,
	earshot.CodeConcurrencyLimit:  http.StatusTooManyRequests,
	earshot.CodeCanceled:          statusClientGone,
	earshot.CodeInternal:          http.StatusInternalServerError,
	earshot.CodeUpstream:          http.StatusBadGateway,
	earshot.CodeServerUnavailable: http.StatusServiceUnavailable,
}

// StatusOf is the status that an error is answered with. submits tells that the
// operation takes tasks in.
func StatusOf(code earshot.Code, submits bool) int {
	if code == earshot.CodeValidation && submits {
		return http.StatusUnprocessableEntity
	}
	return statuses[code]
}

// fail answers with an error. Whatever is not meant for clients becomes a 500
// that says nothing of its cause.
func (c *call) fail(err error) {
	if c.status != 0 {
		c.cut()
		return
	}
	var e *earshot.Error
	switch {
	case errors.As(err, &e):
	case c.r.Context().Err() != nil:
		e = &earshot.Error{Code: earshot.CodeCanceled, Message: "the request was canceled"}
	default:
		e = &earshot.Error{Code: earshot.CodeInternal, Message: "internal error; the request id finds it in the server's log"}
	}
	if e.Code == earshot.CodeServerUnavailable {
		c.w.Header().Set("Retry-After", "1")
	}
	body, err := json.Marshal(earshot.ErrorResponse{Error: earshot.ErrorBody{
		Code: e.Code, Message: e.Message, Details: e.Details, Timestamp: earshot.Timestamp{Time: time.Now()}, RequestID: c.id,
	}})
	if err != nil { // the details are our own types
		panic(fmt.Sprintf("encode an error: %v", err))
	}
	c.write(StatusOf(e.Code, c.route.Submits), "application/json", body)
}

func errRateLimit(v ratelimit.Verdict) error {
	return &earshot.Error{
		Code:    earshot.CodeRateLimit,
		Message: fmt.Sprintf("more than %d requests in one second", v.Limit),
	}
}

func errStopping() error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node is stopping, try again", Err: job.ErrStopping}
}

// errPastShare refuses what would take more of the node than is one's share.
func errPastShare(message string) error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: message}
}

func errWorkerOnly() error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node only works off the queue; ask one with the role api or all"}
}

// errNotFound tells that a thing, such as a task, does not exist. That of another
// organization does not either.
func errNotFound(thing, id string) error {
	return &earshot.Error{Code: earshot.CodeNotFound, Message: "there is no " + thing + " with this id", Details: earshot.ResourceDetails{ID: id}}
}

func (*Server) notFound(c *call) error {
	return &earshot.Error{
		Code: earshot.CodeNotFound, Message: "the API has no operation with this method and path", Details: earshot.ResourceDetails{ID: c.r.URL.Path},
	}
}
