package earshot

import "encoding/json"

// SweepState is where a sweep stands.
type SweepState string

// The states.
const (
	SweepRunning  SweepState = "running"  // it is being asked
	SweepClosed   SweepState = "closed"   // all that will come has come
	SweepCanceled SweepState = "canceled" // it was stopped by hand
	SweepSkipped  SweepState = "skipped"  // it would have passed the ceiling, or could not be paid
	SweepMissed   SweepState = "missed"   // nothing was there to start it in its window
)

// Values lists the states.
func (SweepState) Values() []SweepState {
	return []SweepState{SweepRunning, SweepClosed, SweepCanceled, SweepSkipped, SweepMissed}
}

// Sweep is one pass over all questions and targets of a tracker.
type Sweep struct {
	ID string `json:"id" schema:"uuid"`
	// The civil time for which it was due, with its time zone, or `manual` and its key.
	Slot  string     `json:"slot"`
	State SweepState `json:"state"`
	// Why it was skipped.
	Reason string `json:"reason,omitempty"`
	// The version of the definition that it asks by.
	Version int       `json:"version" schema:"min=1"`
	DueAt   Timestamp `json:"dueAt"`
	// Null when it never began.
	StartedAt *Timestamp `json:"startedAt"`
	// When its window ends.
	EndsAt Timestamp `json:"endsAt"`
	// Null until then.
	ClosedAt *Timestamp    `json:"closedAt"`
	Progress SweepProgress `json:"progress"`
	Credits  SweepCredits  `json:"credits"`
	// The sweep that it repeats at once, to see how much is noise. It counts in no other number.
	Repeats string `json:"repeats,omitempty" schema:"uuid"`
	// How many have which reason, only where one sweep is shown.
	Missing List[ReasonCount] `json:"missing,omitempty"`
}

// SweepProgress counts the questions of a sweep.
type SweepProgress struct {
	// Questions × targets × samples.
	Planned int `json:"planned" schema:"min=0"`
	// Handed to the queue so far.
	Submitted int `json:"submitted" schema:"min=0"`
	// Ended with an answer.
	Answered int `json:"answered" schema:"min=0"`
	// Ended without one.
	Missing int `json:"missing" schema:"min=0"`
	// answered ÷ planned.
	Coverage float64 `json:"coverage" schema:"min=0,max=1"`
}

// SweepCredits is what a sweep costs.
type SweepCredits struct {
	// The most that it can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	CreditsCharged  int64 `json:"creditsCharged" schema:"min=0"`
}

// ReasonCount counts missing answers by their reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count" schema:"min=0"`
}

// SweepRequest runs a tracker now.
type SweepRequest struct {
	// The same key again gives the same sweep.
	IdempotencyKey string `json:"idempotencyKey,omitempty" schema:"idempotencyKey"`
	// Repeat the newest closed sweep: how far the two are apart is the noise floor of comparisons. It costs what a sweep costs.
	Repeat bool `json:"repeat,omitempty"`
}

// SweepStarted is a sweep that was started, or was there already under its key.
type SweepStarted struct {
	Succeeded
	Sweep Sweep `json:"sweep"`
	// Whether the key had started it before.
	Replayed bool `json:"replayed"`
}

// SweepCancelResult tells what of a sweep was canceled.
type SweepCancelResult struct {
	Succeeded
	Sweep Sweep `json:"sweep"`
	// Tasks that were taken out of the queue.
	Cleared int `json:"cleared" schema:"min=0"`
}

// SweepEvent is the body of a webhook that tells of a sweep.
type SweepEvent struct {
	Type    SweepEventType `json:"type"`
	Tracker string         `json:"tracker"`
	Sweep   Sweep          `json:"sweep"`
}

// SweepEventType is what a webhook tells of a sweep.
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

// SweepQuery says which sweeps to list.
type SweepQuery struct {
	State  SweepState `json:"state,omitempty"`
	Limit  int        `json:"limit,omitempty" schema:"min=1,max=100,default=20"`
	Cursor string     `json:"cursor,omitempty" schema:"cursor"`
}

// SweepPage is a page of sweeps, the newest first.
type SweepPage struct {
	Sweeps     List[Sweep] `json:"sweeps"`
	NextCursor *string     `json:"nextCursor" schema:"nextCursor"`
}

// Outcome is what became of a question in a sweep.
type Outcome string

// The outcomes. Only answered and refused ones count in rates; all others are missing.
const (
	OutcomePending  Outcome = "pending"  // it is queued or being asked
	OutcomeAnswered Outcome = "answered" // there is a result
	OutcomeRefused  Outcome = "refused"  // the assistant declined to answer
	OutcomeMissing  Outcome = "missing"  // the reason says why
)

// Values lists the outcomes.
func (Outcome) Values() []Outcome {
	return []Outcome{OutcomePending, OutcomeAnswered, OutcomeRefused, OutcomeMissing}
}

// TrackedAnswer is one question of a sweep and what came of it.
type TrackedAnswer struct {
	// The id of the task that asked.
	ID    string `json:"id" schema:"uuid"`
	Sweep string `json:"sweep" schema:"uuid"`
	// The number of the question within the tracker, which a changed text changes.
	PromptID int    `json:"promptId" schema:"min=1"`
	Prompt   string `json:"prompt"`
	// Such as `chatassistant/US`.
	Target  string  `json:"target"`
	Sample  int     `json:"sample" schema:"min=1"`
	Outcome Outcome `json:"outcome"`
	// Why it is missing: `blocked`, `timeout`, `unavailable`, `unreadable`, `empty`, `credits`, `canceled`, `expired` or `failed`.
	Reason  string `json:"reason,omitempty"`
	Surface string `json:"surface,omitempty"`
	Model   string `json:"model,omitempty"`
	// Whether it was made up by the lab.
	MadeUp     bool       `json:"madeUp"`
	AskedAt    Timestamp  `json:"askedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	Charged    int64      `json:"creditsCharged" schema:"min=0"`
	Attempts   int        `json:"attempts" schema:"min=0"`
	// The provider's result, only where one answer is shown and in exports.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// Brands and pages in the result, only where one answer is shown and has one.
	Found *AnswerFindings `json:"found,omitempty"`
	// The answers beside it, only where one answer is shown.
	Cell *AnswerCell `json:"cell,omitempty"`
}

// AnswerFilter says which answers to list or export.
type AnswerFilter struct {
	Sweep    string `json:"sweep,omitempty" schema:"uuid"`
	PromptID int    `json:"promptId,omitempty" schema:"min=1,max=2000000000"`
	// A target's name, such as `chatassistant/US`.
	Target  string  `json:"target,omitempty" schema:"maxLength=300"`
	Tag     string  `json:"tag,omitempty" schema:"maxLength=50"`
	Outcome Outcome `json:"outcome,omitempty"`
	Reason  string  `json:"reason,omitempty" schema:"maxLength=50"`
	// Asked at or after this time or day.
	From string `json:"from,omitempty" schema:"moment"`
	// Asked before this time, or on or before this day.
	To string `json:"to,omitempty" schema:"moment"`
	// Part of the question, in either letter case of A to Z.
	Text string `json:"q,omitempty" schema:"maxLength=200"`
	// A brand of the panel: only answers that name it, by the current rules.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// As of metrics: `target:chatassistant/US,tag:trail`. Only of closed sweeps then, as with what follows.
	Filter string `json:"filter,omitempty" schema:"maxLength=4000"`
	// Only what numbers look at: answers of closed sweeps, given or missing, to questions that name no brand.
	Counted bool `json:"counted,omitempty"`
	// With `counted`, also questions that name a brand.
	Branded bool `json:"branded,omitempty"`
	// Of sweeps that were due at or after this time, or on or after this day of the tracker's time zone.
	DueFrom string `json:"dueFrom,omitempty" schema:"moment"`
	// Of sweeps that were due before this time, or on or before this day.
	DueTo string `json:"dueTo,omitempty" schema:"moment"`
}

// AnswerQuery says which page of answers to list.
type AnswerQuery struct {
	AnswerFilter
	Limit  int    `json:"limit,omitempty" schema:"min=1,max=200,default=50"`
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// AnswerPage is a page of answers, the newest first. What a page reads is bounded, so
// that one with a filter may hold fewer than it has room for.
type AnswerPage struct {
	Answers    List[TrackedAnswer] `json:"answers"`
	NextCursor *string             `json:"nextCursor" schema:"nextCursor"`
}

// ExportQuery says what to export.
type ExportQuery struct {
	// What to export; `answers` unless given. `mentions` and `citations` are what the current rules find in those answers, `metrics` the numbers of each sweep. Of sweeps and metrics, `sweep`, `from` and `to` pick: by the time when they were due, with days of the tracker's time zone. `numbers` are those of the sweeps between `from` and `to` with all that they are made of, to be computed again.
	Table string `json:"table,omitempty" schema:"enum=answers|mentions|citations|metrics|sweeps|numbers"`
	// One JSON object a line, which is what you get unless you ask for a table.
	Format string `json:"format,omitempty" schema:"enum=ndjson|csv|parquet"`
	AnswerFilter
}
