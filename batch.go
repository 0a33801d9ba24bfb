package earshot

import "encoding/json"

// BatchQuery is a page of the list of batches.
type BatchQuery struct {
	// The maximum number of items in the page.
	Limit int `json:"limit,omitempty" schema:"min=1,max=50,default=20"`
	// The `nextCursor` of the previous page.
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// BatchRecord is a batch with the number of its tasks in each state. A retry replaces
// the failed task in these numbers.
type BatchRecord struct {
	ID        string    `json:"id" schema:"uuid"`
	CreatedAt Timestamp `json:"createdAt"`
	// How many tasks were submitted.
	Total int `json:"total" schema:"min=1,max=500"`
	// How many tasks were refused when the batch was submitted.
	Refused    int `json:"refused" schema:"min=0,max=500"`
	Queued     int `json:"queued" schema:"min=0,max=500"`
	Processing int `json:"processing" schema:"min=0,max=500"`
	Completed  int `json:"completed" schema:"min=0,max=500"`
	Failed     int `json:"failed" schema:"min=0,max=500"`
	// How many tasks were removed from the queue or are no longer stored.
	Removed int `json:"removed" schema:"min=0,max=500"`
	// The cost of the tasks that are still stored.
	Credits BatchCredits `json:"credits"`
	// Why tasks failed, the most frequent reason first.
	Failures List[BatchFailure] `json:"failures"`
}

// BatchCredits is the cost of the tasks of a batch.
type BatchCredits struct {
	// The most that the tasks can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// The credits charged for tasks that have ended.
	CreditsCharged int64 `json:"creditsCharged" schema:"min=0"`
}

// BatchFailure is the number of tasks of a batch that failed for one reason.
type BatchFailure struct {
	Code Code `json:"code"`
	// Why the provider gave no usable answer; only for an `EXTERNAL_SERVICE_ERROR`.
	Reason Reason `json:"reason,omitempty"`
	Tasks  int    `json:"tasks" schema:"min=1,max=500"`
}

// BatchPage is a page of the list of batches, newest first.
type BatchPage struct {
	Batches    List[BatchRecord] `json:"batches"`
	NextCursor *string           `json:"nextCursor" schema:"nextCursor"`
}

// BatchFormat is the file format of the results of a batch.
type BatchFormat string

// The formats.
const (
	BatchNDJSON BatchFormat = "ndjson" // one JSON object per line
	BatchCSV    BatchFormat = "csv"    // a table with a header
)

// Values lists the formats.
func (BatchFormat) Values() []BatchFormat { return []BatchFormat{BatchNDJSON, BatchCSV} }

// BatchResultQuery is the format of the results of a batch.
type BatchResultQuery struct {
	// The file format; `ndjson` by default.
	Format BatchFormat `json:"format,omitempty"`
}

// BatchResult is one finished task of a batch.
type BatchResult struct {
	// The task's index in the submitted batch, counted from 0.
	Index   int         `json:"index" schema:"min=0,max=499"`
	Task    Task        `json:"task"`
	Credits TaskCredits `json:"credits"`
	// The provider's result; only when the task is COMPLETED.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// Only when the task FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// BatchRetried is the outcome of a retry of the failed tasks of a batch.
type BatchRetried struct {
	Succeeded
	// How many tasks were queued again.
	Queued int `json:"queued" schema:"min=0,max=500"`
	// One entry for each failed task, in the order of the submitted batch.
	Results List[RetryItem] `json:"results"`
}

// RetryItem is the outcome of the retry of one failed task. It has `task` and `credits`
// when the task was queued again, and `error` when the retry was refused. It has none of
// them when another request queued the same task again at the same time.
type RetryItem struct {
	// The id of the task that failed.
	TaskID  string       `json:"taskId" schema:"uuid"`
	Success bool         `json:"success"`
	Task    *Task        `json:"task,omitempty"`
	Credits *TaskCredits `json:"credits,omitempty"`
	Error   *Error       `json:"error,omitempty"`
}

// RequestRetried is the task that retries a failed call or task.
type RequestRetried struct {
	Succeeded
	// Whether this request queued the task; false when an earlier request did.
	Queued  bool        `json:"queued"`
	Task    Task        `json:"task"`
	Credits TaskCredits `json:"credits"`
}
