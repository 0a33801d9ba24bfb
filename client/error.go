package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot"
)

// Error is an error answer of the service. IsCode and Details look
// into one without a type assertion.
type Error struct {
	Code      earshot.Code    `json:"code"` // "" when something else answered, such as a proxy
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details"`   // by the code; nil where it has none
	RequestID string          `json:"requestId"` // finds the request in the service's log
	Status    int             `json:"-"`         // of HTTP; 0 in the error of a task

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

// As lets errors.As find the error as an *earshot.Error, too.
func (e *Error) As(target any) bool {
	t, ok := target.(**earshot.Error)
	if !ok || e.Code == "" {
		return false
	}
	*t = &earshot.Error{Code: e.Code, Message: e.Message, Details: e.Details}
	return true
}

// TaskError is the error of a task that has no result: it failed, or it does not exist.
// It wraps an *Error.
type TaskError struct {
	TaskID string
	Err    *Error
}

func (e *TaskError) Error() string { return fmt.Sprintf("task %s: %v", e.TaskID, e.Err) }

// Unwrap lets errors.As, IsCode and Details find the reason.
func (e *TaskError) Unwrap() error { return e.Err }

// IsCode tells whether err is, or wraps, an error of the service with that code.
func IsCode(err error, code earshot.Code) bool {
	var e *earshot.Error
	return errors.As(err, &e) && e.Code == code
}

// DetailTypes are the shapes that details can have.
type DetailTypes interface {
	[]earshot.FieldProblem | earshot.CreditDetails | earshot.ScopeDetails | earshot.ResourceDetails | earshot.DuplicateDetails |
		earshot.ConflictDetails | earshot.QueueDetails | earshot.LimitDetails | earshot.UpstreamDetails
}

// Details returns the details of an error of the service, if they are of type T:
//
//	if fields, ok := client.Details[[]earshot.FieldProblem](err); ok { … }
func Details[T DetailTypes](err error) (details T, ok bool) {
	var e *earshot.Error
	if !errors.As(err, &e) || e.Code != codeOf(any(details)) {
		return details, false
	}
	raw, err := json.Marshal(e.Details) // of one item of a batch they are decoded, without a type
	if err != nil || string(raw) == "null" || json.Unmarshal(raw, &details) != nil {
		var none T
		return none, false
	}
	return details, true
}

// codeOf is the code whose details have the type of the value.
func codeOf(details any) earshot.Code {
	switch details.(type) {
	case []earshot.FieldProblem:
		return earshot.CodeValidation
	case earshot.CreditDetails:
		return earshot.CodeNoCredits
	case earshot.ScopeDetails:
		return earshot.CodeNoPermission
	case earshot.ResourceDetails:
		return earshot.CodeNotFound
	case earshot.DuplicateDetails:
		return earshot.CodeAlreadyExists
	case earshot.ConflictDetails:
		return earshot.CodeConflict
	case earshot.QueueDetails:
		return earshot.CodeQueueLimit
	case earshot.LimitDetails:
		return earshot.CodeConcurrencyLimit
	case earshot.UpstreamDetails:
		return earshot.CodeUpstream
	}
	return ""
}

// failure makes the error of an answer.
func failure(resp *http.Response, answer []byte) *Error {
	var envelope struct {
		Error Error `json:"error"`
	}
	e := &envelope.Error
	if json.Unmarshal(answer, &envelope) != nil || e.Code == "" {
		*e = Error{Message: fmt.Sprintf("%s is not answered by Earshot: status %s", resp.Request.URL.Host, resp.Status)}
	}
	e.Status = resp.StatusCode
	e.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"))
	return e
}
