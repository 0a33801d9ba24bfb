package earshot

import "encoding/json"

// IdempotencyKeyHeader is the header of a call that holds its idempotency key: the
// same call with the same key gets the answer of the first, uncharged.
const IdempotencyKeyHeader = "Idempotency-Key"

// ReplayedHeader is "true" on the answer to a call that is that of an earlier one.
const ReplayedHeader = "Idempotency-Replayed"

// RequestQuery says which calls and tasks to list.
type RequestQuery struct {
	// Only calls (`sync`) or only tasks (`async`).
	Mode Mode `json:"mode,omitempty"`
	// Only those in this state.
	Status Status `json:"status,omitempty"`
	// Only those of this provider.
	Provider string `json:"provider,omitempty" schema:"provider"`
	// Only those that asked from this country.
	Country string `json:"country,omitempty" schema:"country"`
	// Only the tasks of this batch.
	Batch string `json:"batch,omitempty" schema:"uuid"`
	// Only those whose prompt or query contains this text. ASCII letters match in either case.
	Text string `json:"q,omitempty" schema:"maxLength=1000"`
	// Only those that came in at this time or later: a time in RFC 3339, or a UTC day.
	From string `json:"from,omitempty" schema:"moment"`
	// Only those that came in before this time, in RFC 3339, or up to the end of this UTC day.
	To string `json:"to,omitempty" schema:"moment"`
	// Only those that failed because the provider gave no usable answer, for this reason.
	ErrorReason Reason `json:"errorReason,omitempty"`
	// Only tasks that this tracker asked.
	Tracker string `json:"tracker,omitempty" schema:"trackerName"`
	// Only those that stand for themselves: neither tasks of a batch nor tasks that a tracker asked.
	Alone bool `json:"alone,omitempty"`
	PageQuery
}

// RequestReadQuery says what to tell of a call or task beside its result.
type RequestReadQuery struct {
	// Look for the brands of this tracker in the result, as if it had asked.
	BrandsOf string `json:"brandsOf,omitempty" schema:"trackerName"`
}

// RequestRecord is a call or a task with what is known of it. The list of requests
// leaves out `result`.
type RequestRecord struct {
	// The `X-Request-Id` of the call, or the task's id.
	ID       string `json:"id" schema:"uuid"`
	Mode     Mode   `json:"mode"`
	Provider string `json:"provider" schema:"provider"`
	Status   Status `json:"status"`
	// The body of the call, or the payload of the task, as it was sent.
	Payload json.RawMessage `json:"payload" schema:"object"`
	// The key that it was sent with; null for none.
	IdempotencyKey *string   `json:"idempotencyKey"`
	CreatedAt      Timestamp `json:"createdAt"`
	// Null until then; it stays null when a task failed for want of credits.
	StartedAt  *Timestamp `json:"startedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	// From start to end; null until then, and when it was never started.
	LatencyMs *int64 `json:"latencyMs" schema:"min=0"`
	// Tries made so far; 0 when it was never started. Of a call that runs it is 1.
	Attempts int         `json:"attempts" schema:"min=0"`
	Credits  TaskCredits `json:"credits"`
	// The tracker that asked; absent for all others.
	Tracker string `json:"tracker,omitempty"`
	// On COMPLETED, in the shape of the provider. On FAILED, an answer that a vendor delivered after the call had ended; it is not charged.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// What the current rules of the tracker in `brandsOf` find in the result.
	Found *AnswerFindings `json:"found,omitempty"`
	// On FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// RequestPage is a page of the list of requests. With a filter it may have fewer
// items than were asked for, even none, and still not be the last.
type RequestPage struct {
	Requests   List[RequestRecord] `json:"requests"`
	NextCursor *string             `json:"nextCursor" schema:"nextCursor"`
}
