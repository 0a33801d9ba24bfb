package earshot

import "encoding/json"

// IdempotencyKeyHeader is the request header that holds the idempotency key of a call.
// The same call with the same key gets the first call's answer and is not charged.
const IdempotencyKeyHeader = "Idempotency-Key"

// ReplayedHeader is "true" on a response that repeats the answer of an earlier call.
const ReplayedHeader = "Idempotency-Replayed"

// RequestQuery is a filter of the list of calls and tasks.
type RequestQuery struct {
	// Only calls (`sync`) or only tasks (`async`).
	Mode Mode `json:"mode,omitempty"`
	// Only calls and tasks in this state.
	Status Status `json:"status,omitempty"`
	// Only calls and tasks of this provider.
	Provider string `json:"provider,omitempty" schema:"provider"`
	// Only calls and tasks for this country.
	Country string `json:"country,omitempty" schema:"country"`
	// Only the tasks of this batch.
	Batch string `json:"batch,omitempty" schema:"uuid"`
	// Only calls and tasks whose prompt or query contains this text. ASCII letters match in either case.
	Text string `json:"q,omitempty" schema:"maxLength=1000"`
	// Only calls and tasks created at or after this RFC 3339 time or UTC day.
	From string `json:"from,omitempty" schema:"moment"`
	// Only calls and tasks created before this RFC 3339 time, or up to the end of this UTC day.
	To string `json:"to,omitempty" schema:"moment"`
	// Only calls and tasks that failed with an `EXTERNAL_SERVICE_ERROR` for this reason.
	ErrorReason Reason `json:"errorReason,omitempty"`
	// Only tasks of this tracker.
	Tracker string `json:"tracker,omitempty" schema:"trackerName"`
	// Only calls and tasks that belong neither to a batch nor to a tracker.
	Alone bool `json:"alone,omitempty"`
	PageQuery
}

// RequestReadQuery is a choice of additional data about a call or task.
type RequestReadQuery struct {
	// Find the brands of this tracker in the result, by the tracker's current rules.
	BrandsOf string `json:"brandsOf,omitempty" schema:"trackerName"`
	// List words of the result that look like names of brands.
	Names bool `json:"names,omitempty"`
}

// RequestRecord is a call or a task. The list of requests leaves out `result`.
type RequestRecord struct {
	// The `X-Request-Id` of the call, or the task's id.
	ID       string `json:"id" schema:"uuid"`
	Mode     Mode   `json:"mode"`
	Provider string `json:"provider" schema:"provider"`
	Status   Status `json:"status"`
	// The body of the call, or the payload of the task, as it was sent.
	Payload json.RawMessage `json:"payload" schema:"object"`
	// The idempotency key of the call or task; `null` when it has no key.
	IdempotencyKey *string   `json:"idempotencyKey"`
	CreatedAt      Timestamp `json:"createdAt"`
	// `null` until the call or task starts. It stays `null` when a task fails for lack of credits.
	StartedAt  *Timestamp `json:"startedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	// The time from start to end; `null` until the end, and when the task was never started.
	LatencyMs *int64 `json:"latencyMs" schema:"min=0"`
	// How many attempts were made so far: 0 when the task was never started, 1 while a call runs.
	Attempts int         `json:"attempts" schema:"min=0"`
	Credits  TaskCredits `json:"credits"`
	// The tracker that asked; absent when no tracker did.
	Tracker string `json:"tracker,omitempty"`
	// The provider's result when `status` is COMPLETED. When `status` is FAILED, an answer that arrived after the end, which is not charged.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// True when `result` arrived after the call or task had FAILED.
	Late bool `json:"late,omitempty"`
	// The brands that the current rules of the tracker named in `brandsOf` find in the result.
	Found *AnswerFindings `json:"found,omitempty"`
	// Words of the result that look like names, the likeliest first, if `names` was set. Some may not be brands.
	Names []string `json:"names,omitempty"`
	// Only when `status` is FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// RequestPage is a page of the list of requests. With a filter, a page may have fewer
// items than `limit`, even none, although more pages follow.
type RequestPage struct {
	Requests   List[RequestRecord] `json:"requests"`
	NextCursor *string             `json:"nextCursor" schema:"nextCursor"`
}
