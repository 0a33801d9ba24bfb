package earshot

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Code identifies the kind of an error. It holds no HTTP status, because the same code
// has different statuses on different routes.
type Code string

// The error codes of the API.
const (
	CodeValidation        Code = "VALIDATION_ERROR"
	CodeMediaType         Code = "UNSUPPORTED_MEDIA_TYPE"
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
	CodePrecondition      Code = "PRECONDITION_FAILED"
	CodeQueueLimit        Code = "QUEUE_LIMIT_EXCEEDED"
	CodeCanceled          Code = "REQUEST_CANCELED"
	CodeInternal          Code = "INTERNAL_SERVER_ERROR"
	CodeUpstream          Code = "EXTERNAL_SERVICE_ERROR"
	CodeServerUnavailable Code = "SERVICE_UNAVAILABLE"
)

// Values lists the codes.
func (Code) Values() []Code {
	return []Code{
		CodeValidation, CodeMediaType, CodeMissingKey, CodeInvalidKey, CodeNoCredits, CodeKeyBudget, CodeNoPermission, CodeNotFound, CodeAlreadyExists, CodeConflict,
		CodePrecondition, CodeRateLimit, CodeConcurrencyLimit, CodeQueueLimit, CodeCanceled, CodeInternal, CodeUpstream, CodeServerUnavailable,
	}
}

// Details returns the zero value of the type of `details` for this code, or nil if
// errors with this code have no details.
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
	case CodePrecondition:
		return VersionDetails{}
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

// NextStep returns advice on how to handle an error with this code, in Markdown.
func (c Code) NextStep() string {
	return map[Code]string{
		CodeValidation:        "correct every field named in `details`; all invalid fields are reported at once",
		CodeMediaType:         "send the body as `application/json`, in UTF-8 and not compressed",
		CodeMissingKey:        "send `Authorization: Bearer ear_live_…`; in the dashboard, sign in again",
		CodeInvalidKey:        "the key is mistyped, revoked or expired: use another key; an admin of the organization can create one",
		CodeNoCredits:         "`required` is the most that the job can cost, `remaining` the balance, `held` the part of the balance reserved for running jobs: leave out options that cost extra, wait for the next billing cycle, or ask the operator for credits",
		CodeKeyBudget:         "the key may spend `ceiling` credits per `period`; `used` are spent and `held` are reserved for running jobs: wait until `resetsAt`, use another key, or ask an admin to raise its limit",
		CodeNoPermission:      "use a key with the scope in `requiredScope`, which an admin can create; this key will always be refused",
		CodeNotFound:          "the path, the method or the id does not exist, belongs to another organization, or is no longer stored: look it up in the list",
		CodeAlreadyExists:     "the idempotency key is already used: poll the task in `taskId`, or read the call in `requestId`; for other work, choose another key",
		CodeConflict:          "the current state does not allow this, for example cancelling a task that already runs: read the state first; with `requestId`, a call with the same idempotency key is still running: send yours again later",
		CodePrecondition:      "somebody else has changed it since you read it: `current` is how it is now. Send your change again with its `etag` in `If-Match`, or leave `If-Match` out to overwrite it",
		CodeRateLimit:         "wait one second, then send the request again; `X-RateLimit-Remaining` is the number of requests left in the current window",
		CodeConcurrencyLimit:  "all slots are in use: wait for a call to end, or submit a task, which waits in the queue",
		CodeQueueLimit:        "submit later, or submit fewer tasks; only tasks that would be queued count, not invalid ones or duplicates",
		CodeCanceled:          "the client closed the connection; nothing was charged. Send the request again if you need the answer",
		CodeInternal:          "the service failed, perhaps after it did the work: repeat the request with the same idempotency key, or read the state first; the operator finds the cause by the request id",
		CodeUpstream:          "the provider gave no usable answer in any attempt; nothing was charged. Repeating at once rarely helps: try again later, or from another country",
		CodeServerUnavailable: "the node is stopping or overloaded, or the database cannot be reached; nothing was done. Try again after `Retry-After` seconds; another node may answer",
	}[c]
}

// Error is an error that may be shown to a client.
type Error struct {
	Code Code `json:"code"`
	// For people; the wording may change.
	Message string `json:"message"`
	// Additional data; the code decides its shape.
	Details any   `json:"details,omitempty" schema:"details"`
	Err     error `json:"-"` // the cause, which is never shown to clients
}

// ErrorResponse is the body of every 4xx and 5xx response.
type ErrorResponse struct {
	Success bool      `json:"success" schema:"const=false"`
	Error   ErrorBody `json:"error"`
}

// ErrorBody is an error in a response.
type ErrorBody struct {
	Code Code `json:"code"`
	// For people; the wording may change.
	Message string `json:"message"`
	// Additional data; the code decides its shape.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code of err, CodeInternal if err has no code, or "" if err is nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// FieldProblem is one invalid field of a `VALIDATION_ERROR`.
type FieldProblem struct {
	// The path of the field, such as `include.html` or `payload.country`; `body` when the body as a whole is invalid.
	Field   string `json:"field"`
	Message string `json:"message"`
	// The line of the field in a YAML file.
	Line int `json:"line,omitempty" schema:"min=1"`
}

// CreditDetails are the details of an `INSUFFICIENT_CREDITS` error.
type CreditDetails struct {
	// The most that the job can cost.
	Required int64 `json:"required" schema:"min=0"`
	// The balance.
	Remaining int64 `json:"remaining" schema:"min=0"`
	// The part of the balance reserved for running calls and tasks. A task is queued when the balance covers it; it starts when the unreserved balance covers it.
	Held int64 `json:"held" schema:"min=0"`
}

// KeyBudgetDetails are the details of a `KEY_BUDGET_EXCEEDED` error.
type KeyBudgetDetails struct {
	KeyID string `json:"keyId"`
	// The limited period: a UTC day or a UTC month.
	Period  string `json:"period" schema:"enum=day|month"`
	Ceiling int64  `json:"ceiling" schema:"min=0"`
	// Credits charged in the period so far.
	Used int64 `json:"used" schema:"min=0"`
	// Credits reserved for running calls and tasks of the key.
	Held int64 `json:"held" schema:"min=0"`
	// The most that the job can cost.
	Required int64     `json:"required" schema:"min=0"`
	ResetsAt Timestamp `json:"resetsAt"`
}

// ScopeDetails are the details of an `INSUFFICIENT_PERMISSIONS` error.
type ScopeDetails struct {
	// The scope that the key or the user's role lacks; absent when no scope would help.
	RequiredScope string `json:"requiredScope,omitempty" schema:"enum=read|monitor|tasks|track|admin|operator"`
}

// ResourceDetails are the details of a `RESOURCE_NOT_FOUND` error.
type ResourceDetails struct {
	// The path or the id that was not found.
	ID string `json:"id"`
}

// DuplicateDetails are the details of a `RESOURCE_ALREADY_EXISTS` error.
type DuplicateDetails struct {
	// Where the idempotency key was sent: in the field of a task, or in the header of a call.
	Field string `json:"field" schema:"enum=idempotencyKey|Idempotency-Key"`
	Value string `json:"value"`
	// The task that has the key. When a call has the key and a task is refused, this is the id of the call.
	TaskID string `json:"taskId,omitempty" schema:"uuid"`
	// The call or task that has the key; only when a call is refused.
	RequestID string `json:"requestId,omitempty" schema:"uuid"`
}

// ConflictDetails are the details of a `RESOURCE_CONFLICT` error. `status` is the state
// of the task or call.
type ConflictDetails struct {
	ID     string `json:"id"`
	Status Status `json:"status,omitempty"`
	// The running call that has the same idempotency key.
	RequestID string `json:"requestId,omitempty" schema:"uuid"`
}

// VersionDetails are the details of a `PRECONDITION_FAILED` error.
type VersionDetails struct {
	// The current version; absent if there is none.
	ETag string `json:"etag,omitempty"`
	// The response to a GET of the same path; absent if there is none.
	Current json.RawMessage `json:"current,omitempty"`
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
	// The limit that was reached, such as the number of slots of the account.
	Limit int `json:"limit" schema:"min=0"`
}

// UpstreamDetails are the details of an `EXTERNAL_SERVICE_ERROR` error.
type UpstreamDetails struct {
	// The name of the provider, as in its path.
	Service string `json:"service"`
	Reason  Reason `json:"reason"`
	// How many requests were made to official APIs and vendors, which may have charged the operator for them. Absent when no such request was made.
	PaidAttempts int `json:"paidAttempts,omitempty" schema:"min=0"`
}

// Reason is why the provider gave no usable answer.
type Reason string

// The reasons of a CodeUpstream error.
const (
	ReasonBlocked     Reason = "blocked"     // the provider refused us: a challenge, a consent wall, a 403 or 429
	ReasonTimeout     Reason = "timeout"     // the provider did not answer in time
	ReasonUnavailable Reason = "unavailable" // no connection, a 5xx, or a truncated answer
	ReasonUnreadable  Reason = "unreadable"  // no parser understands the answer
	ReasonEmpty       Reason = "empty"       // the answer has no content
)

// Values lists the reasons.
func (Reason) Values() []Reason {
	return []Reason{ReasonBlocked, ReasonTimeout, ReasonUnavailable, ReasonUnreadable, ReasonEmpty}
}
