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
	CodeKeyBudget         Code = "KEY_BUDGET_EXCEEDED"
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

// Values lists the codes.
func (Code) Values() []Code {
	return []Code{
		CodeValidation, CodeMissingKey, CodeInvalidKey, CodeNoCredits, CodeKeyBudget, CodeNoPermission, CodeNotFound, CodeAlreadyExists, CodeConflict,
		CodeRateLimit, CodeConcurrencyLimit, CodeQueueLimit, CodeCanceled, CodeInternal, CodeUpstream, CodeServerUnavailable,
	}
}

// Details is the zero value of the type that the details of an error with this code
// have, nil where it has none.
func (c Code) Details() any {
	switch c {
	case CodeValidation:
		return []FieldProblem{}
	case CodeNoCredits:
		return CreditDetails{}
	case CodeKeyBudget:
		return KeyBudgetDetails{}
	case CodeNoPermission:
		return ScopeDetails{}
	case CodeNotFound:
		return ResourceDetails{}
	case CodeAlreadyExists:
		return DuplicateDetails{}
	case CodeConflict:
		return ConflictDetails{}
	case CodeConcurrencyLimit:
		return LimitDetails{}
	case CodeQueueLimit:
		return QueueDetails{}
	case CodeUpstream:
		return UpstreamDetails{}
	default:
		return nil
	}
}

// NextStep is what to do about an error with this code, in Markdown.
func (c Code) NextStep() string {
	return map[Code]string{ //nolint:gosec // advice, no credentials
		CodeValidation:        "mend every field named; all faults are reported at once",
		CodeMissingKey:        "send `Authorization: Bearer ear_live_…`; in the dashboard, sign in again",
		CodeInvalidKey:        "the key is mistyped, revoked or expired: use another",
		CodeNoCredits:         "`required` is the most that the job can cost, `remaining` the balance, `held` what running jobs may still take of it; wait for the next cycle, or ask the operator",
		CodeKeyBudget:         "the key may spend `ceiling` credits in its `period`, `used` are spent and `held` set aside for running jobs: wait until `resetsAt`, use another key, or have its ceiling raised",
		CodeNoPermission:      "use a key with the scope that `requiredScope` names",
		CodeNotFound:          "the path, the method or the id does not exist, is another organization's, or is no longer kept: check it",
		CodeAlreadyExists:     "the idempotency key is taken: poll the task of `taskId`, or read the call of `requestId`",
		CodeConflict:          "the thing is in a state that does not allow this, such as a task that runs and is to be cancelled; with `requestId`, a call with the same idempotency key still runs: repeat yours later",
		CodeRateLimit:         "wait a second; `X-RateLimit-Remaining` says what is left of the window",
		CodeConcurrencyLimit:  "all slots are taken: wait for a call to end, or submit a task, which waits for you",
		CodeQueueLimit:        "submit later, or fewer; only tasks that would be queued take room, neither faulty ones nor duplicates",
		CodeCanceled:          "you left; nothing was charged. Ask again when you like",
		CodeInternal:          "a fault of the service: give the request id to the operator, whose log has the cause",
		CodeUpstream:          "the upstream gave no usable answer in any attempt; nothing was charged. Try again later, or from another country",
		CodeServerUnavailable: "the node stops or is full, or the database cannot be reached; nothing was done. Try again after `Retry-After` seconds, another node may answer",
	}[c]
}

// Error is an error that may be shown to a client.
type Error struct {
	Code Code `json:"code"`
	// For people. Not a stable text.
	Message string `json:"message"`
	// What the code says more of; the code decides its shape.
	Details any   `json:"details,omitempty" schema:"details"`
	Err     error `json:"-"` // the cause, which is never shown
}

// ErrorResponse is the body of every 4xx and 5xx.
type ErrorResponse struct {
	Success bool      `json:"success" schema:"const=false"`
	Error   ErrorBody `json:"error"`
}

// ErrorBody is an error as the API answers it.
type ErrorBody struct {
	Code Code `json:"code"`
	// For people. Not a stable text.
	Message string `json:"message"`
	// What the code says more of; the code decides its shape.
	Details   any       `json:"details,omitempty" schema:"details"`
	Timestamp Timestamp `json:"timestamp"`
	RequestID string    `json:"requestId" schema:"uuid"`
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
	// The path of the field, such as `include.html` or `payload.country`. `body` when the body as a whole is at fault.
	Field   string `json:"field"`
	Message string `json:"message"`
	// The line of a YAML file that it stands in.
	Line int `json:"line,omitempty" schema:"min=1"`
}

// CreditDetails are the details of an `INSUFFICIENT_CREDITS` error.
type CreditDetails struct {
	// The most that the job can cost.
	Required int64 `json:"required" schema:"min=0"`
	// The balance.
	Remaining int64 `json:"remaining" schema:"min=0"`
	// What running jobs may still take of it. A job begins when the rest covers it; a task is queued when the balance does.
	Held int64 `json:"held" schema:"min=0"`
}

// KeyBudgetDetails are the details of a `KEY_BUDGET_EXCEEDED` error.
type KeyBudgetDetails struct {
	KeyID string `json:"keyId"`
	// Days and months are those of UTC.
	Period  string `json:"period" schema:"enum=day|month"`
	Ceiling int64  `json:"ceiling" schema:"min=0"`
	// Charged in the period so far.
	Used int64 `json:"used" schema:"min=0"`
	// What running jobs of the key may still take.
	Held int64 `json:"held" schema:"min=0"`
	// The most that the job can cost.
	Required int64     `json:"required" schema:"min=0"`
	ResetsAt Timestamp `json:"resetsAt"`
}

// ScopeDetails are the details of an `INSUFFICIENT_PERMISSIONS` error.
type ScopeDetails struct {
	RequiredScope string `json:"requiredScope" schema:"enum=read|monitor|tasks|track|admin"`
}

// ResourceDetails are the details of a `RESOURCE_NOT_FOUND` error.
type ResourceDetails struct {
	// The path or the id that was asked for.
	ID string `json:"id"`
}

// DuplicateDetails are the details of a `RESOURCE_ALREADY_EXISTS` error.
type DuplicateDetails struct {
	// Where the key was sent: in the field of a task, or in the header of a call.
	Field string `json:"field" schema:"enum=idempotencyKey|Idempotency-Key"`
	Value string `json:"value"`
	// The task that has the key. A task is refused with the id of a call here, if a call has it.
	TaskID string `json:"taskId,omitempty" schema:"uuid"`
	// The call or task that has the key, when a call is refused.
	RequestID string `json:"requestId,omitempty" schema:"uuid"`
}

// ConflictDetails are the details of a `RESOURCE_CONFLICT` error. `status` is the
// status of the task or call.
type ConflictDetails struct {
	ID     string `json:"id"`
	Status Status `json:"status,omitempty"`
	// The call that has the idempotency key and still runs.
	RequestID string `json:"requestId,omitempty" schema:"uuid"`
}

// QueueDetails are the details of a `QUEUE_LIMIT_EXCEEDED` error.
type QueueDetails struct {
	QueuedCount       int `json:"queuedCount" schema:"min=0"`
	BatchSize         int `json:"batchSize" schema:"min=1"`
	MaxQueueSize      int `json:"maxQueueSize" schema:"min=0"`
	RemainingCapacity int `json:"remainingCapacity" schema:"min=0"`
}

// LimitDetails are the details of a `CONCURRENT_LIMIT_EXCEEDED` error.
type LimitDetails struct {
	// The slots of the account.
	Limit int `json:"limit" schema:"min=0"`
}

// UpstreamDetails are the details of an `EXTERNAL_SERVICE_ERROR` error.
type UpstreamDetails struct {
	// The provider, named by its path segment.
	Service string `json:"service"`
	Reason  Reason `json:"reason"`
	// How many requests were made to official APIs and vendors, which may have charged the operator for them. Absent when there were none.
	PaidAttempts int `json:"paidAttempts,omitempty" schema:"min=0"`
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

// Values lists the reasons.
func (Reason) Values() []Reason {
	return []Reason{ReasonBlocked, ReasonTimeout, ReasonUnavailable, ReasonUnreadable, ReasonEmpty}
}
