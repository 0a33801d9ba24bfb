package earshot

import (
	"errors"
	"fmt"
)

// Code names what went wrong. It carries no HTTP status: the same code maps to
// different statuses on different routes, which only the HTTP edge knows.
type Code string

// The codes a client can meet.
const (
	CodeValidation        Code = "VALIDATION_ERROR"
	CodeMissingKey        Code = "MISSING_API_KEY"
	CodeInvalidKey        Code = "INVALID_API_KEY"
	CodeNoCredits         Code = "INSUFFICIENT_CREDITS"
	CodeNoPermission      Code = "INSUFFICIENT_PERMISSIONS"
	CodeNotFound          Code = "RESOURCE_NOT_FOUND"
	CodeAlreadyExists     Code = "RESOURCE_ALREADY_EXISTS"
	CodeConflict          Code = "RESOURCE_CONFLICT"
	CodeRateLimit         Code = "RATE_LIMIT_EXCEEDED"
	CodeConcurrencyLimit  Code = "CONCURRENT_LIMIT_EXCEEDED"
	CodeQueueLimit        Code = "QUEUE_LIMIT_EXCEEDED"
	CodeCanceled          Code = "REQUEST_CANCELED"
	CodeInternal          Code = "INTERNAL_SERVER_ERROR"
	CodeUpstream          Code = "EXTERNAL_SERVICE_ERROR"
	CodeServerUnavailable Code = "SERVICE_UNAVAILABLE"
)

// Error is an error that may be shown to a client. Err, the cause, never is.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Details any    `json:"details,omitempty"`
	Err     error  `json:"-"`
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode tells the code of err, CodeInternal when it carries none, and ""
// when err is nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// FieldProblem is one entry in the details of a validation error.
type FieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// CreditDetails are the details of CodeNoCredits.
type CreditDetails struct {
	Required  int64 `json:"required"`
	Remaining int64 `json:"remaining"`
}

// ScopeDetails are the details of CodeNoPermission.
type ScopeDetails struct {
	RequiredScope string `json:"requiredScope"`
}

// ResourceDetails are the details of CodeNotFound.
type ResourceDetails struct {
	ID string `json:"id"`
}

// DuplicateDetails are the details of CodeAlreadyExists.
type DuplicateDetails struct {
	Field  string `json:"field"`
	Value  string `json:"value"`
	TaskID string `json:"taskId"`
}

// ConflictDetails are the details of CodeConflict.
type ConflictDetails struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
}

// QueueDetails are the details of CodeQueueLimit.
type QueueDetails struct {
	QueuedCount       int `json:"queuedCount"`
	BatchSize         int `json:"batchSize"`
	MaxQueueSize      int `json:"maxQueueSize"`
	RemainingCapacity int `json:"remainingCapacity"`
}

// LimitDetails are the details of CodeConcurrencyLimit.
type LimitDetails struct {
	Limit int `json:"limit"`
}

// UpstreamDetails are the details of CodeUpstream.
type UpstreamDetails struct {
	Service string `json:"service"`
	Reason  Reason `json:"reason"`
}

// Reason says why an upstream gave no usable answer.
type Reason string

// The reasons of CodeUpstream.
const (
	ReasonBlocked     Reason = "blocked"     // it refused us: a challenge, a consent wall, a 403 or 429
	ReasonTimeout     Reason = "timeout"     // it did not answer in time
	ReasonUnavailable Reason = "unavailable" // no connection, a 5xx, or an answer cut off
	ReasonUnreadable  Reason = "unreadable"  // it answered something that no parser understands
	ReasonEmpty       Reason = "empty"       // it answered, with nothing in it
)
