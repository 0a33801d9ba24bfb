package earshot

// WorkKind says what background work of a tracker does.
type WorkKind string

// The kinds.
const (
	WorkAnalyse WorkKind = "analyse" // analyses stored answers again, because the rules have changed
	WorkCount   WorkKind = "count"   // counts the answers of closed sweeps
	WorkReview  WorkKind = "review"  // looks for statements that a person should check
)

// Values lists the kinds.
func (WorkKind) Values() []WorkKind { return []WorkKind{WorkAnalyse, WorkCount, WorkReview} }

// WorkState is the state of background work.
type WorkState string

// The states.
const (
	WorkWaiting WorkState = "waiting" // it has not begun
	WorkRunning WorkState = "running" // it has begun; nodes do it in steps, in turn with the work of others
	WorkFailed  WorkState = "failed"  // the last step failed; a node tries it again within a minute
)

// Values lists the states.
func (WorkState) Values() []WorkState { return []WorkState{WorkWaiting, WorkRunning, WorkFailed} }

// TrackerWork is background work of a tracker that is not done yet.
type TrackerWork struct {
	Kind  WorkKind  `json:"kind"`
	State WorkState `json:"state"`
	// How much is done: answers for `analyse`, sweeps for `count` and `review`.
	Done int `json:"done" schema:"min=0"`
	// `null` while it is unknown.
	Total *int `json:"total" schema:"min=0"`
	// An estimate from the time that it has taken so far; `null` while it is unknown.
	SecondsLeft *int `json:"secondsLeft" schema:"min=0"`
	// Why the last step failed; only in the state `failed`.
	Error string `json:"error,omitempty"`
}

// TrackerWorkList is the background work of a tracker that is not done yet. It is empty when all
// is done.
type TrackerWorkList struct {
	Work List[TrackerWork] `json:"work"`
}

// Reanalysis is the version of the rules with which all stored answers are analysed again.
type Reanalysis struct {
	Succeeded
	Rules NamingRule `json:"rules"`
}
