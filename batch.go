package earshot

import "encoding/json"

// BatchQuery says which batches to list.
type BatchQuery struct {
	// How many items a page has at most.
	Limit int `json:"limit,omitempty" schema:"min=1,max=50,default=20"`
	// Where to go on: the `nextCursor` of the page before.
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// BatchRecord is a batch and how its tasks stand. A task that was queued anew stands
// for the one that failed.
type BatchRecord struct {
	ID        string    `json:"id" schema:"uuid"`
	CreatedAt Timestamp `json:"createdAt"`
	// Tasks that were handed in.
	Total int `json:"total" schema:"min=1,max=500"`
	// Tasks that were refused then.
	Refused    int `json:"refused" schema:"min=0,max=500"`
	Queued     int `json:"queued" schema:"min=0,max=500"`
	Processing int `json:"processing" schema:"min=0,max=500"`
	Completed  int `json:"completed" schema:"min=0,max=500"`
	Failed     int `json:"failed" schema:"min=0,max=500"`
	// Tasks that were removed from the queue, or are no longer kept.
	Removed int `json:"removed" schema:"min=0,max=500"`
	// Of the tasks that are kept.
	Credits BatchCredits `json:"credits"`
	// Why tasks failed, the most frequent reason first.
	Failures List[BatchFailure] `json:"failures"`
}

// BatchCredits is what the tasks of a batch cost.
type BatchCredits struct {
	// The most that they can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// What those that have ended did cost.
	CreditsCharged int64 `json:"creditsCharged" schema:"min=0"`
}

// BatchFailure is how many tasks of a batch failed for one reason.
type BatchFailure struct {
	Code Code `json:"code"`
	// Why the provider gave no usable answer, where that is the error.
	Reason Reason `json:"reason,omitempty"`
	Tasks  int    `json:"tasks" schema:"min=1,max=500"`
}

// BatchPage is a page of the list of batches, newest first.
type BatchPage struct {
	Batches    List[BatchRecord] `json:"batches"`
	NextCursor *string           `json:"nextCursor" schema:"nextCursor"`
}

// BatchFormat is how the results of a batch are written.
type BatchFormat string

// The formats.
const (
	BatchNDJSON BatchFormat = "ndjson" // one JSON object a line
	BatchCSV    BatchFormat = "csv"    // a table with a header
)

// Values lists the formats.
func (BatchFormat) Values() []BatchFormat { return []BatchFormat{BatchNDJSON, BatchCSV} }

// BatchResultQuery says how to write the results of a batch.
type BatchResultQuery struct {
	// `ndjson` if it is not given.
	Format BatchFormat `json:"format,omitempty"`
}

// BatchResult is a line of the results of a batch: an ended task.
type BatchResult struct {
	// Place in the input, counted from 0.
	Index   int         `json:"index" schema:"min=0,max=499"`
	Task    Task        `json:"task"`
	Credits TaskCredits `json:"credits"`
	// On COMPLETED, in the shape of the task's provider.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// On FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// BatchRetried is what became of the failed tasks of a batch.
type BatchRetried struct {
	Succeeded
	// How many tasks were queued anew.
	Queued int `json:"queued" schema:"min=0,max=500"`
	// One for each task that had failed, in the order of the input.
	Results List[RetryItem] `json:"results"`
}

// RetryItem is what became of one failed task: `task` and `credits` when it was queued
// anew, `error` when it was refused, neither when somebody else queued it anew at the
// same moment.
type RetryItem struct {
	// The task that failed.
	TaskID  string       `json:"taskId" schema:"uuid"`
	Success bool         `json:"success"`
	Task    *Task        `json:"task,omitempty"`
	Credits *TaskCredits `json:"credits,omitempty"`
	Error   *Error       `json:"error,omitempty"`
}

// RequestRetried is the task that stands for a call or task that failed.
type RequestRetried struct {
	Succeeded
	// Whether it was queued now; false when it had been before.
	Queued  bool        `json:"queued"`
	Task    Task        `json:"task"`
	Credits TaskCredits `json:"credits"`
}
