package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/purchase"
)

// statusClientGone is the status of a request whose client has disconnected.
const statusClientGone = 499

// statuses maps error codes to HTTP statuses. Only CodeValidation has a different status,
// 422, when tasks are submitted.
var statuses = map[earshot.Code]int{
	earshot.CodeValidation:        http.StatusBadRequest,
	earshot.CodeMediaType:         http.StatusUnsupportedMediaType,
	earshot.CodeMissingKey:        http.StatusUnauthorized,
	earshot.CodeInvalidKey:        http.StatusUnauthorized,
	earshot.CodeNoCredits:         http.StatusForbidden,
	earshot.CodeKeyBudget:         http.StatusForbidden,
	earshot.CodeNoPermission:      http.StatusForbidden,
	earshot.CodeNotFound:          http.StatusNotFound,
	earshot.CodeAlreadyExists:     http.StatusConflict,
	earshot.CodeConflict:          http.StatusConflict,
	earshot.CodePrecondition:      http.StatusPreconditionFailed,
	earshot.CodeQueueLimit:        http.StatusTooManyRequests,
	earshot.CodeRateLimit:         http.StatusTooManyRequests,
	earshot.CodeConcurrencyLimit:  http.StatusTooManyRequests,
	earshot.CodeCanceled:          statusClientGone,
	earshot.CodeInternal:          http.StatusInternalServerError,
	earshot.CodeUpstream:          http.StatusBadGateway,
	earshot.CodeServerUnavailable: http.StatusServiceUnavailable,
}

// StatusOf returns the HTTP status of an error code. submits is true for operations that
// submit tasks.
func StatusOf(code earshot.Code, submits bool) int {
	if code == earshot.CodeValidation && submits {
		return http.StatusUnprocessableEntity
	}
	return statuses[code]
}

// fail sends an error response. An error that is not meant for clients becomes a 500
// without details.
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
		e = &earshot.Error{Code: earshot.CodeInternal, Message: "internal error; the server's log has the cause under the request id"}
	}
	if e.Code == earshot.CodeServerUnavailable {
		c.w.Header().Set("Retry-After", "1")
	}
	body, err := json.Marshal(earshot.ErrorResponse{Error: earshot.ErrorBody{
		Code: e.Code, Message: e.Message, Details: e.Details, Timestamp: earshot.Timestamp{Time: time.Now()}, RequestID: c.id,
	}})
	if err != nil { // impossible: the details are our own types
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
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node is stopping, try again", Err: purchase.ErrStopping}
}

func errScopeMissing(message string, scope account.Scope) error {
	return &earshot.Error{Code: earshot.CodeNoPermission, Message: message, Details: earshot.ScopeDetails{RequiredScope: string(scope)}}
}

// errPastShare refuses a request that exceeds its share of the node's resources.
func errPastShare(message string) error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: message}
}

func errWorkerOnly() error {
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node only runs tasks; send the request to a node with the role api or all"}
}

// errNotFound is the error for a thing, such as a task, that does not exist or belongs to
// another organization.
func errNotFound(thing, id string) error {
	return &earshot.Error{Code: earshot.CodeNotFound, Message: "there is no " + thing + " with this id", Details: earshot.ResourceDetails{ID: id}}
}

func (*Server) notFound(c *call) error {
	return &earshot.Error{
		Code: earshot.CodeNotFound, Message: "the API has no operation with this method and path", Details: earshot.ResourceDetails{ID: c.r.URL.Path},
	}
}
