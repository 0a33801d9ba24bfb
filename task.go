package earshot

import "encoding/json"

// Task is an asynchronous job.
type Task struct {
	ID       string `json:"id" schema:"uuid"`
	TaskType string `json:"taskType" schema:"taskType"`
	Status   Status `json:"status"`
	Priority int    `json:"priority" schema:"min=1,max=10"`
	// As submitted.
	Payload        json.RawMessage `json:"payload" schema:"object"`
	IdempotencyKey *string         `json:"idempotencyKey"`
	CreatedAt      Timestamp       `json:"createdAt"`
	// Null until then; it stays null when the task failed for want of credits.
	StartedAt  *Timestamp `json:"startedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	// From start to end; null until then, and when it was never started.
	LatencyMs *int64 `json:"latencyMs" schema:"min=0"`
	// Tries made so far; 0 when it was never started.
	Attempts int `json:"attempts" schema:"min=0"`
}

// TaskCredits is what a task costs.
type TaskCredits struct {
	// The most that it can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// What it did cost; null until it finished, 0 when it failed.
	CreditsCharged *int64 `json:"creditsCharged" schema:"min=0"`
}

// TaskRecord is a task with what is known of it. A webhook and the list of events
// carry the same without `webhook`, the list of tasks also without `result`.
type TaskRecord struct {
	Task    Task         `json:"task"`
	Credits TaskCredits  `json:"credits"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
	// On COMPLETED, in the shape of the task's provider.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// On FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// TaskWebhook is the delivery of the task's webhook. Only when the task has one.
type TaskWebhook struct {
	URL         string     `json:"url" schema:"uri"`
	Delivered   bool       `json:"delivered"`
	DeliveredAt *Timestamp `json:"deliveredAt"`
	// Tries made so far.
	Attempts int `json:"attempts" schema:"min=0"`
}

// TaskSubmitted is a task that was queued.
type TaskSubmitted struct {
	Succeeded
	Task    Task         `json:"task"`
	Credits TaskCredits  `json:"credits"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
}

// TaskCanceled is a task that was removed from the queue.
type TaskCanceled struct {
	Succeeded
	ID string `json:"id" schema:"uuid"`
}

// QueueCleared is a queue that was emptied.
type QueueCleared struct {
	Succeeded
	// How many tasks were removed.
	Cleared int `json:"cleared" schema:"min=0"`
}

// QueueStatus is how many tasks an organization has and what room is left.
type QueueStatus struct {
	QueuedTasks     int `json:"queuedTasks" schema:"min=0"`
	ProcessingTasks int `json:"processingTasks" schema:"min=0"`
	// Queued tasks by priority.
	PriorityBreakdown List[PriorityCount] `json:"priorityBreakdown"`
	Concurrency       Concurrency         `json:"concurrency"`
	Queue             QueueRoom           `json:"queue"`
}

// PriorityCount is how many tasks of a priority are queued.
type PriorityCount struct {
	Priority int `json:"priority" schema:"min=1,max=10"`
	Count    int `json:"count" schema:"min=0"`
}

// Concurrency is how many slots there are, and how many tasks and synchronous
// calls use.
type Concurrency struct {
	Used int `json:"used" schema:"min=0"`
	Max  int `json:"max" schema:"min=0"`
}

// QueueRoom is how many tasks the queue can hold, and still take.
type QueueRoom struct {
	Max       int `json:"max" schema:"min=0"`
	Remaining int `json:"remaining" schema:"min=0"`
}

// TaskPage is a page of the list of tasks.
type TaskPage struct {
	Tasks      List[TaskRecord] `json:"tasks"`
	NextCursor *string          `json:"nextCursor" schema:"nextCursor"`
}

// EventPage is a page of ended tasks, in the order in which they ended.
type EventPage struct {
	Events List[TaskRecord] `json:"events"`
	// Where the next page begins. Null only when no cursor was given and no finished task is kept.
	NextCursor *string `json:"nextCursor"`
}

// Delivery is one message on its way to a receiver: the webhook of a task or of a sweep,
// or an alert or a report for a channel.
type Delivery struct {
	// The `webhook-id`. For the webhook of a task or of a sweep it is the id of that.
	ID string `json:"id" schema:"uuid"`
	// The same as `id`, which is the task's id where a task is what the delivery is about.
	TaskID string `json:"taskId" schema:"uuid"`
	// The URL of the webhook, or `channel://` and the name of a channel, whose address is never shown.
	URL string `json:"url" schema:"receiver"`
	// Whether it was acknowledged. It stays true when the delivery is sent again.
	Delivered   bool       `json:"delivered"`
	DeliveredAt *Timestamp `json:"deliveredAt"`
	// Tries made so far.
	Attempts int `json:"attempts" schema:"min=0"`
	// When it is tried next; null when no try is planned.
	NextTryAt *Timestamp `json:"nextTryAt"`
	// The last 20 tries, oldest first.
	Tries List[DeliveryTry] `json:"tries" schema:"maxItems=20"`
}

// DeliveryTry is one try of a delivery; `status` when the receiver answered,
// `error` when it did not.
type DeliveryTry struct {
	At Timestamp `json:"at"`
	// What the receiver answered.
	Status int `json:"status,omitempty" schema:"min=100,max=999"`
	// Why there was no answer.
	Error string `json:"error,omitempty"`
	// How long it took.
	Ms int64 `json:"ms" schema:"min=0"`
}

// DeliveryState is how the delivery of a webhook stands.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending" // a try is planned
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed" // the tries are spent
)

// Values lists the states.
func (DeliveryState) Values() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed}
}

// DeliveryPage is a page of the list of deliveries, newest task first.
type DeliveryPage struct {
	Deliveries List[Delivery] `json:"deliveries"`
	NextCursor *string        `json:"nextCursor" schema:"nextCursor"`
}

// DeliveryResent is a webhook that will be sent again.
type DeliveryResent struct {
	Succeeded
	Delivery Delivery `json:"delivery"`
}

// Quote is what a task or a batch can cost at most.
type Quote struct {
	Succeeded
	// The most that all valid tasks together can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// What upstreams are expected to charge the operator for all valid tasks together, in US dollars.
	USD float64 `json:"usd" schema:"min=0"`
	// In the order of the input; one for a single task.
	Items List[QuoteItem] `json:"items"`
}

// QuoteItem is the price of one task of a quote: `creditsToCharge` when the task is
// valid, `error` when it is not.
type QuoteItem struct {
	// Place in the input, counted from 0.
	Index   int  `json:"index" schema:"min=0,max=499"`
	Success bool `json:"success"`
	// The most that it can cost.
	CreditsToCharge *int64 `json:"creditsToCharge,omitempty" schema:"min=0"`
	// What the upstream is expected to charge the operator. Absent for a task that is not valid.
	Upstream *QuoteUpstream `json:"upstream,omitempty"`
	Error    *Error         `json:"error,omitempty"`
}

// BatchPreview is what a file of questions would submit. Nothing is queued.
type BatchPreview struct {
	Succeeded
	// The most that all rows together can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// The rows that can be submitted, in the order of the file.
	Rows List[BatchFileRow] `json:"rows"`
	// The rows that cannot be submitted, in the order of the file.
	Problems List[BatchFileProblem] `json:"problems"`
	// Names that are no field of the provider's request. They are left out of the tasks.
	Ignored List[string] `json:"ignored"`
}

// BatchFileRow is a row of a file as a task that is ready to be submitted.
type BatchFileRow struct {
	// Where the row begins in the file, counted from 1.
	Line int         `json:"line" schema:"min=1"`
	Task TaskRequest `json:"task"`
	// The most that it can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
}

// BatchFileProblem is a row of a file that cannot be submitted.
type BatchFileProblem struct {
	// Where the row begins in the file, counted from 1.
	Line  int   `json:"line" schema:"min=1"`
	Error Error `json:"error"`
}

// Batch is what became of tasks that were submitted together.
type Batch struct {
	Succeeded
	Summary BatchSummary `json:"summary"`
	// In the order of the input.
	Results List[BatchItem] `json:"results"`
	// The batch, for `/v1/batches`. When all of its tasks are those of one earlier batch, by their idempotency keys, that one.
	BatchID string `json:"batchId" schema:"uuid"`
}

// BatchItem is what became of one task of a batch: `task` and `credits` when it was
// queued, with `webhook` when it has one, `error` when it was refused.
type BatchItem struct {
	// Place in the input, counted from 0.
	Index   int          `json:"index" schema:"min=0,max=499"`
	Success bool         `json:"success"`
	Task    *Task        `json:"task,omitempty"`
	Credits *TaskCredits `json:"credits,omitempty"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
	Error   *Error       `json:"error,omitempty"`
}

// BatchSummary counts what became of a batch.
type BatchSummary struct {
	Total     int `json:"total" schema:"min=1,max=500"`
	Succeeded int `json:"succeeded" schema:"min=0,max=500"`
	Failed    int `json:"failed" schema:"min=0,max=500"`
}
