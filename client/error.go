package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"earshot"
)

// Error is an error response of the service. IsCode and Details inspect it without a type
// assertion.
type Error struct {
	Code      earshot.Code    `json:"code"` // "" if the response is not from Earshot, but from a proxy
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details"`   // the code decides its shape; nil if the code has no details
	RequestID string          `json:"requestId"` // identifies the request in the service's log
	Status    int             `json:"-"`         // the HTTP status; 0 in the error of a task

	retryAfter time.Duration
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	case e.Code == "":
		return e.Message
	}
	return fmt.Sprintf("%s: %s (status %d, request %s)", e.Code, e.Message, e.Status, e.RequestID)
}

// As lets errors.As convert the error to an *earshot.Error.
func (e *Error) As(target any) bool {
	t, ok := target.(**earshot.Error)
	if !ok || e.Code == "" {
		return false
	}
	*t = &earshot.Error{Code: e.Code, Message: e.Message, Details: e.Details}
	return true
}

// TaskError is the error of a task that failed or does not exist. It wraps an *Error.
type TaskError struct {
	TaskID string
	Err    *Error
}

func (e *TaskError) Error() string { return fmt.Sprintf("task %s: %v", e.TaskID, e.Err) }

// Unwrap returns the *Error.
func (e *TaskError) Unwrap() error { return e.Err }

// IsCode reports whether err is, or wraps, an error of the service with the given code.
func IsCode(err error, code earshot.Code) bool {
	e, ok := errors.AsType[*earshot.Error](err)
	return ok && e.Code == code
}

// DetailTypes are the types that details can have.
type DetailTypes interface {
	[]earshot.FieldProblem | earshot.CreditDetails | earshot.KeyBudgetDetails | earshot.ScopeDetails | earshot.ResourceDetails | earshot.DuplicateDetails |
		earshot.ConflictDetails | earshot.VersionDetails | earshot.QueueDetails | earshot.LimitDetails | earshot.UpstreamDetails
}

// Details returns the details of an error of the service, if they are of type T:
//
//	if fields, ok := client.Details[[]earshot.FieldProblem](err); ok { … }
func Details[T DetailTypes](err error) (details T, ok bool) {
	e, ok := errors.AsType[*earshot.Error](err)
	if !ok || reflect.TypeOf(e.Code.Details()) != reflect.TypeFor[T]() {
		return details, false
	}
	raw, err := json.Marshal(e.Details) // in an item of a batch, they are already decoded into an any
	if err != nil || string(raw) == "null" || json.Unmarshal(raw, &details) != nil {
		var none T
		return none, false
	}
	return details, true
}

// failure returns the error of a response.
func failure(resp *http.Response, answer []byte) *Error {
	var envelope struct {
		Error Error `json:"error"`
	}
	e := &envelope.Error
	if json.Unmarshal(answer, &envelope) != nil || e.Code == "" {
		*e = Error{Message: fmt.Sprintf("the server at %s is not Earshot: it answered with status %s", resp.Request.URL.Host, resp.Status)}
	}
	e.Status = resp.StatusCode
	e.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"))
	return e
}
