package earshot

import "encoding/json"

// SweepState is the state of a sweep.
type SweepState string

// The states.
const (
	SweepRunning  SweepState = "running"  // its prompts are being asked
	SweepClosed   SweepState = "closed"   // all answers have arrived or are missing
	SweepCanceled SweepState = "canceled" // a user canceled it
	SweepSkipped  SweepState = "skipped"  // it might exceed the ceiling, or the balance did not cover it
	SweepMissed   SweepState = "missed"   // no node started it within its window
)

// Values lists the states.
func (SweepState) Values() []SweepState {
	return []SweepState{SweepRunning, SweepClosed, SweepCanceled, SweepSkipped, SweepMissed}
}

// Sweep is one pass over all prompts and targets of a tracker.
type Sweep struct {
	ID string `json:"id" schema:"uuid"`
	// The local time for which the sweep was due, with its time zone; or `manual` and the idempotency key.
	Slot  string     `json:"slot"`
	State SweepState `json:"state"`
	// Why the sweep was skipped.
	Reason string `json:"reason,omitempty"`
	// The version of the definition that the sweep uses.
	Version int       `json:"version" schema:"min=1"`
	DueAt   Timestamp `json:"dueAt"`
	// `null` when the sweep never started.
	StartedAt *Timestamp `json:"startedAt"`
	// When the sweep's window ends.
	EndsAt Timestamp `json:"endsAt"`
	// `null` until the sweep is closed.
	ClosedAt *Timestamp    `json:"closedAt"`
	Progress SweepProgress `json:"progress"`
	Credits  SweepCredits  `json:"credits"`
	// The id of the sweep that this sweep repeats to measure the normal variation. A repeated sweep does not count in any other metric.
	Repeats string `json:"repeats,omitempty" schema:"uuid"`
	// How many answers are missing for each reason; only when a single sweep is read.
	Missing List[ReasonCount] `json:"missing,omitempty"`
}

// SweepProgress is the number of tasks of a sweep in each state.
type SweepProgress struct {
	// Prompts × targets × samples.
	Planned int `json:"planned" schema:"min=0"`
	// How many tasks were submitted so far.
	Submitted int `json:"submitted" schema:"min=0"`
	// How many tasks ended with an answer.
	Answered int `json:"answered" schema:"min=0"`
	// How many tasks ended without an answer.
	Missing int `json:"missing" schema:"min=0"`
	// `answered` ÷ `planned`.
	Coverage float64 `json:"coverage" schema:"min=0,max=1"`
}

// SweepCredits is the cost of a sweep.
type SweepCredits struct {
	// The most that the sweep can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	CreditsCharged  int64 `json:"creditsCharged" schema:"min=0"`
}

// ReasonCount is the number of answers that are missing for one reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count" schema:"min=0"`
}

// SweepRequest is a request to run a tracker now.
type SweepRequest struct {
	// Sending the same key again returns the same sweep.
	IdempotencyKey string `json:"idempotencyKey,omitempty" schema:"idempotencyKey"`
	// Repeat the newest closed sweep to measure the normal variation, which comparisons use as noise floor. Costs as much as a sweep.
	Repeat bool `json:"repeat,omitempty"`
}

// SweepStarted is the sweep that was started, or the existing sweep with the same idempotency key.
type SweepStarted struct {
	Succeeded
	Sweep Sweep `json:"sweep"`
	// Whether an earlier request with the same key had started the sweep.
	Replayed bool `json:"replayed"`
}

// SweepCancelResult is a canceled sweep.
type SweepCancelResult struct {
	Succeeded
	Sweep Sweep `json:"sweep"`
	// How many tasks were removed from the queue.
	Cleared int `json:"cleared" schema:"min=0"`
}

// SweepEvent is the body of a webhook about a sweep.
type SweepEvent struct {
	Type    SweepEventType `json:"type"`
	Tracker string         `json:"tracker"`
	Sweep   Sweep          `json:"sweep"`
}

// SweepEventType is why the webhook was sent.
type SweepEventType string

// The types.
const (
	SweepCompleted  SweepEventType = "sweep.completed"
	SweepWasSkipped SweepEventType = "sweep.skipped"
)

// Values lists the types.
func (SweepEventType) Values() []SweepEventType {
	return []SweepEventType{SweepCompleted, SweepWasSkipped}
}

// SweepQuery is a filter of the list of sweeps.
type SweepQuery struct {
	State  SweepState `json:"state,omitempty"`
	Limit  int        `json:"limit,omitempty" schema:"min=1,max=100,default=20"`
	Cursor string     `json:"cursor,omitempty" schema:"cursor"`
}

// SweepPage is a page of sweeps, newest first.
type SweepPage struct {
	Sweeps     List[Sweep] `json:"sweeps"`
	NextCursor *string     `json:"nextCursor" schema:"nextCursor"`
}

// Outcome is the result of asking one prompt: `pending` until the task ends, `answered`, `refused` when the assistant declined to answer, `missing` when there is no answer.
type Outcome string

// The outcomes. Only answered and refused ones count in rates.
const (
	OutcomePending  Outcome = "pending"  // the task is queued or running
	OutcomeAnswered Outcome = "answered" // there is a result
	OutcomeRefused  Outcome = "refused"  // the assistant declined to answer
	OutcomeMissing  Outcome = "missing"  // there is no answer; the reason says why
)

// Values lists the outcomes.
func (Outcome) Values() []Outcome {
	return []Outcome{OutcomePending, OutcomeAnswered, OutcomeRefused, OutcomeMissing}
}

// TrackedAnswer is one prompt of a sweep and its answer.
type TrackedAnswer struct {
	// The id of the task that asked the prompt.
	ID    string `json:"id" schema:"uuid"`
	Sweep string `json:"sweep" schema:"uuid"`
	// The number of the prompt within the tracker. A changed text gets a new number.
	PromptID int    `json:"promptId" schema:"min=1"`
	Prompt   string `json:"prompt"`
	// The target, such as `chatassistant/US`.
	Target  string  `json:"target"`
	Sample  int     `json:"sample" schema:"min=1"`
	Outcome Outcome `json:"outcome"`
	// Why the answer is missing: `blocked`, `timeout`, `unavailable`, `unreadable`, `empty`, `credits`, `canceled`, `expired` or `failed`.
	Reason  string `json:"reason,omitempty"`
	Surface string `json:"surface,omitempty"`
	// The vendor that answered, such as `cloro`; absent without a vendor.
	Via   string `json:"via,omitempty"`
	Model string `json:"model,omitempty"`
	// Whether the answer was made up by the lab.
	MadeUp     bool       `json:"madeUp"`
	AskedAt    Timestamp  `json:"askedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	Charged    int64      `json:"creditsCharged" schema:"min=0"`
	Attempts   int        `json:"attempts" schema:"min=0"`
	// The provider's result; only when a single answer is read, and in exports.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// The brands and pages found in the result; only when a single answer with a result is read.
	Found *AnswerFindings `json:"found,omitempty"`
	// The other answers to the same prompt on the same target; only when a single answer is read.
	Cell *AnswerCell `json:"cell,omitempty"`
}

// AnswerFilter is a filter of answers.
type AnswerFilter struct {
	Sweep    string `json:"sweep,omitempty" schema:"uuid"`
	PromptID int    `json:"promptId,omitempty" schema:"min=1,max=2000000000"`
	// The name of a target, such as `chatassistant/US`.
	Target  string  `json:"target,omitempty" schema:"maxLength=300"`
	Tag     string  `json:"tag,omitempty" schema:"maxLength=50"`
	Outcome Outcome `json:"outcome,omitempty"`
	Reason  string  `json:"reason,omitempty" schema:"enum=blocked|timeout|unavailable|unreadable|empty|credits|failed|canceled|expired"`
	// Only answers asked at or after this time or day.
	From string `json:"from,omitempty" schema:"moment"`
	// Only answers asked before this time, or on or before this day.
	To string `json:"to,omitempty" schema:"moment"`
	// Only prompts that contain this text. ASCII letters match in either case.
	Text string `json:"q,omitempty" schema:"maxLength=200"`
	// Only answers that name this brand of the tracker, by the current rules.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// Only answers that cite this domain or page. With `brand`, only answers in which a sentence that names the brand cites it.
	Source string `json:"source,omitempty" schema:"maxLength=4000"`
	// A filter as for metrics, such as `target:chatassistant/US,tag:trail`. With this filter and each of the following ones, only answers of closed sweeps are returned.
	Filter string `json:"filter,omitempty" schema:"maxLength=4000"`
	// Only answers that the metrics are computed from: answered or missing ones, of closed sweeps, to prompts that contain no brand name.
	Counted bool `json:"counted,omitempty"`
	// With `counted`, include prompts that contain a brand name.
	Branded bool `json:"branded,omitempty"`
	// Only sweeps due at or after this time or day. Days are in the tracker's time zone.
	DueFrom string `json:"dueFrom,omitempty" schema:"moment"`
	// Only sweeps due before this time, or on or before this day.
	DueTo string `json:"dueTo,omitempty" schema:"moment"`
}

// AnswerQuery is a page of answers.
type AnswerQuery struct {
	AnswerFilter
	Limit  int    `json:"limit,omitempty" schema:"min=1,max=200,default=50"`
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// AnswerPage is a page of answers, newest first. With a filter, a page may have fewer items
// than `limit`, even none, although more pages follow.
type AnswerPage struct {
	Answers    List[TrackedAnswer] `json:"answers"`
	NextCursor *string             `json:"nextCursor" schema:"nextCursor"`
}

// ExportQuery is a choice of rows to export.
type ExportQuery struct {
	// The rows to export; `answers` by default. `mentions` and `citations` are the findings of the current rules in those answers. `metrics` are the metrics of each sweep. For `sweeps` and `metrics`, only `sweep`, `from` and `to` apply; `from` and `to` select sweeps by when they were due, with days in the tracker's time zone.
	Table string `json:"table,omitempty" schema:"enum=answers|mentions|citations|metrics|sweeps"`
	// The file format; `ndjson` (one JSON object per line) by default.
	Format string `json:"format,omitempty" schema:"enum=ndjson|csv|parquet"`
	AnswerFilter
}
