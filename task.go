package earshot

import "encoding/json"

// Task is a queued request, its state and its timing.
type Task struct {
	ID       string `json:"id" schema:"uuid"`
	TaskType string `json:"taskType" schema:"taskType"`
	Status   Status `json:"status"`
	Priority int    `json:"priority" schema:"min=1,max=10"`
	// The payload as submitted.
	Payload        json.RawMessage `json:"payload" schema:"object"`
	IdempotencyKey *string         `json:"idempotencyKey"`
	CreatedAt      Timestamp       `json:"createdAt"`
	// `null` until the task starts. It stays `null` when the task fails for lack of credits.
	StartedAt  *Timestamp `json:"startedAt"`
	FinishedAt *Timestamp `json:"finishedAt"`
	// The time from start to end; `null` until the end, and when the task was never started.
	LatencyMs *int64 `json:"latencyMs" schema:"min=0"`
	// How many attempts were made so far; 0 when the task was never started.
	Attempts int `json:"attempts" schema:"min=0"`
}

// TaskCredits is the cost of a call or task.
type TaskCredits struct {
	// The most that the call or task can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// The credits charged; `null` until the end, 0 when the call or task failed.
	CreditsCharged *int64 `json:"creditsCharged" schema:"min=0"`
}

// TaskRecord is a task with its cost and its result or error. Webhooks and the list of
// events leave out `webhook`; the list of tasks also leaves out `result`.
type TaskRecord struct {
	Task    Task         `json:"task"`
	Credits TaskCredits  `json:"credits"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
	// The provider's result when the task is COMPLETED. When it FAILED, an answer that arrived after its end, which is not charged.
	Result json.RawMessage `json:"result,omitempty" schema:"result"`
	// True when `result` arrived after the task had FAILED.
	Late bool `json:"late,omitempty"`
	// Only when the task FAILED.
	Error json.RawMessage `json:"error,omitempty" schema:"error"`
}

// TaskWebhook is the delivery of the task's webhook; only when the task has a webhook.
type TaskWebhook struct {
	URL         string     `json:"url" schema:"uri"`
	Delivered   bool       `json:"delivered"`
	DeliveredAt *Timestamp `json:"deliveredAt"`
	// How many attempts were made so far.
	Attempts int `json:"attempts" schema:"min=0"`
}

// TaskSubmitted is the queued task.
type TaskSubmitted struct {
	Succeeded
	Task    Task         `json:"task"`
	Credits TaskCredits  `json:"credits"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
}

// TaskCanceled is the id of the task that was removed from the queue.
type TaskCanceled struct {
	Succeeded
	ID string `json:"id" schema:"uuid"`
}

// QueueCleared is the number of tasks that were removed from the queue.
type QueueCleared struct {
	Succeeded
	// How many tasks were removed.
	Cleared int `json:"cleared" schema:"min=0"`
}

// QueueStatus is the number of an organization's queued and running tasks, and the free capacity.
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

// Concurrency is the number of slots, and how many of them running calls and tasks use.
type Concurrency struct {
	Used int `json:"used" schema:"min=0"`
	Max  int `json:"max" schema:"min=0"`
}

// QueueRoom is the capacity of the queue, and how many more tasks it can take.
type QueueRoom struct {
	Max       int `json:"max" schema:"min=0"`
	Remaining int `json:"remaining" schema:"min=0"`
}

// TaskPage is a page of the list of tasks.
type TaskPage struct {
	Tasks      List[TaskRecord] `json:"tasks"`
	NextCursor *string          `json:"nextCursor" schema:"nextCursor"`
}

// EventPage is a page of finished tasks, in the order in which they finished.
type EventPage struct {
	Events List[TaskRecord] `json:"events"`
	// Where the next page begins; `null` only when no cursor was sent and no finished task is stored.
	NextCursor *string `json:"nextCursor"`
}

// Delivery is the delivery of one message to a receiver: the webhook of a task or sweep,
// or an alert or report for a channel.
type Delivery struct {
	// The value of the `webhook-id` header. For the webhook of a task or sweep, this is the id of the task or sweep.
	ID string `json:"id" schema:"uuid"`
	// The same value as `id`.
	TaskID string `json:"taskId" schema:"uuid"`
	// The URL of the webhook, or `channel://` and the name of the channel, whose URL or addresses are never shown.
	URL string `json:"url" schema:"receiver"`
	// Whether the receiver acknowledged the message. It stays true when the message is sent again.
	Delivered   bool       `json:"delivered"`
	DeliveredAt *Timestamp `json:"deliveredAt"`
	// How many attempts were made so far.
	Attempts int `json:"attempts" schema:"min=0"`
	// When the next attempt is planned; `null` when none is planned.
	NextTryAt *Timestamp `json:"nextTryAt"`
	// The last 20 attempts, oldest first.
	Tries List[DeliveryTry] `json:"tries" schema:"maxItems=20"`
}

// DeliveryTry is one delivery attempt. It has a `status` when the receiver answered, and
// an `error` when the receiver did not answer.
type DeliveryTry struct {
	At Timestamp `json:"at"`
	// The HTTP status of the receiver's answer.
	Status int `json:"status,omitempty" schema:"min=100,max=999"`
	// Why the receiver did not answer.
	Error string `json:"error,omitempty"`
	// How long the attempt took, in milliseconds.
	Ms int64 `json:"ms" schema:"min=0"`
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending" // an attempt is planned
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed" // no attempts are left
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

// DeliveryResent is a delivery that will be sent again.
type DeliveryResent struct {
	Succeeded
	Delivery Delivery `json:"delivery"`
}

// Quote is the maximum cost of a task or a batch.
type Quote struct {
	Succeeded
	// The most that all valid tasks together can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// The amount that upstreams are expected to charge the operator for all valid tasks together, in US dollars.
	USD float64 `json:"usd" schema:"min=0"`
	// One entry for each task, in the order of the request.
	Items List[QuoteItem] `json:"items"`
}

// QuoteItem is the price of one task. It has `creditsToCharge` when the task is valid,
// and `error` when it is not.
type QuoteItem struct {
	// The task's index in the request, counted from 0.
	Index   int  `json:"index" schema:"min=0,max=499"`
	Success bool `json:"success"`
	// The most that the task can cost.
	CreditsToCharge *int64 `json:"creditsToCharge,omitempty" schema:"min=0"`
	// The amount that the upstream is expected to charge the operator. Absent for a task that is not valid.
	Upstream *QuoteUpstream `json:"upstream,omitempty"`
	Error    *Error         `json:"error,omitempty"`
}

// BatchPreview is the tasks that a file of prompts would submit. Nothing is queued.
type BatchPreview struct {
	Succeeded
	// The most that all rows together can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
	// The rows that can be submitted, in the order of the file.
	Rows List[BatchFileRow] `json:"rows"`
	// The rows that cannot be submitted, in the order of the file.
	Problems List[BatchFileProblem] `json:"problems"`
	// Columns or fields that the provider's request does not have. They are left out of the tasks.
	Ignored List[string] `json:"ignored"`
}

// BatchFileRow is a row of a file as a task that is ready to submit.
type BatchFileRow struct {
	// The line on which the row begins, counted from 1.
	Line int         `json:"line" schema:"min=1"`
	Task TaskRequest `json:"task"`
	// The most that the task can cost.
	CreditsToCharge int64 `json:"creditsToCharge" schema:"min=0"`
}

// BatchFileProblem is a row of a file that cannot be submitted.
type BatchFileProblem struct {
	// The line on which the row begins, counted from 1.
	Line  int   `json:"line" schema:"min=1"`
	Error Error `json:"error"`
}

// Batch is the outcome of the submission of a batch.
type Batch struct {
	Succeeded
	Summary BatchSummary `json:"summary"`
	// One entry for each task, in the order of the request.
	Results List[BatchItem] `json:"results"`
	// The id of the batch, for `/v1/batches`. When all tasks are duplicates of tasks of one earlier batch, the id of that batch.
	BatchID string `json:"batchId" schema:"uuid"`
}

// BatchItem is the outcome of one task of a batch. It has `task`, `credits` and, if the
// task has one, `webhook` when the task was queued, and `error` when it was refused.
type BatchItem struct {
	// The task's index in the request, counted from 0.
	Index   int          `json:"index" schema:"min=0,max=499"`
	Success bool         `json:"success"`
	Task    *Task        `json:"task,omitempty"`
	Credits *TaskCredits `json:"credits,omitempty"`
	Webhook *TaskWebhook `json:"webhook,omitempty"`
	Error   *Error       `json:"error,omitempty"`
}

// BatchSummary is the number of tasks that were queued and refused.
type BatchSummary struct {
	Total     int `json:"total" schema:"min=1,max=500"`
	Succeeded int `json:"succeeded" schema:"min=0,max=500"`
	Failed    int `json:"failed" schema:"min=0,max=500"`
}
