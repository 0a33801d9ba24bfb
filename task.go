package earshot

import "encoding/json"

// Task is an asynchronous job.
type Task struct {
	ID             string          `json:"id"`
	TaskType       string          `json:"taskType"`
	Status         Status          `json:"status"`
	Priority       int             `json:"priority"`
	Payload        json.RawMessage `json:"payload"` // as submitted
	IdempotencyKey *string         `json:"idempotencyKey"`
	CreatedAt      Timestamp       `json:"createdAt"`
	StartedAt      *Timestamp      `json:"startedAt"`
	FinishedAt     *Timestamp      `json:"finishedAt"`
	LatencyMs      *int64          `json:"latencyMs"` // from start to end
	Attempts       int             `json:"attempts"`
}

// TaskCredits is what a task costs.
type TaskCredits struct {
	CreditsToCharge int64  `json:"creditsToCharge"` // the most that it can cost
	CreditsCharged  *int64 `json:"creditsCharged"`  // what it did cost; null until it ended
}

// TaskRecord is a task with what is known of it. A webhook carries the same,
// without Webhook.
type TaskRecord struct {
	Task    Task            `json:"task"`
	Credits TaskCredits     `json:"credits"`
	Webhook *TaskWebhook    `json:"webhook,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"` // on COMPLETED
	Error   json.RawMessage `json:"error,omitempty"`  // on FAILED: code, message, details
}

// TaskWebhook is how the webhook of a task stands.
type TaskWebhook struct {
	URL         string     `json:"url"`
	Delivered   bool       `json:"delivered"`
	DeliveredAt *Timestamp `json:"deliveredAt"`
	Attempts    int        `json:"attempts"`
}

// QueueStatus is how an organization's queue and slots stand.
type QueueStatus struct {
	QueuedTasks       int                 `json:"queuedTasks"`
	ProcessingTasks   int                 `json:"processingTasks"`
	PriorityBreakdown List[PriorityCount] `json:"priorityBreakdown"`
	Concurrency       Concurrency         `json:"concurrency"`
	Queue             QueueRoom           `json:"queue"`
}

// PriorityCount is how many tasks of a priority are queued.
type PriorityCount struct {
	Priority int `json:"priority"`
	Count    int `json:"count"`
}

// Concurrency is how many slots there are, and how many tasks and synchronous
// calls use.
type Concurrency struct {
	Used int `json:"used"`
	Max  int `json:"max"`
}

// QueueRoom is how many tasks the queue can hold, and still take.
type QueueRoom struct {
	Max       int `json:"max"`
	Remaining int `json:"remaining"`
}

// TaskPage is a page of the list of tasks.
type TaskPage struct {
	Tasks      List[TaskRecord] `json:"tasks"`
	NextCursor *string          `json:"nextCursor"`
}

// EventPage is a page of ended tasks, in the order in which they ended.
type EventPage struct {
	Events     List[TaskRecord] `json:"events"`
	NextCursor *string          `json:"nextCursor"`
}

// Delivery is the webhook of one task.
type Delivery struct {
	ID          string            `json:"id"` // its webhook-id
	TaskID      string            `json:"taskId"`
	URL         string            `json:"url"`
	Delivered   bool              `json:"delivered"`
	DeliveredAt *Timestamp        `json:"deliveredAt"`
	Attempts    int               `json:"attempts"`
	NextTryAt   *Timestamp        `json:"nextTryAt"` // null when none is planned
	Tries       List[DeliveryTry] `json:"tries"`     // the last ones, oldest first
}

// DeliveryTry is one try of a delivery.
type DeliveryTry struct {
	At     Timestamp `json:"at"`
	Status int       `json:"status,omitempty"` // what the receiver answered, if it did
	Error  string    `json:"error,omitempty"`  // why there was no answer
	Ms     int64     `json:"ms"`
}

// DeliveryPage is a page of the list of deliveries, newest task first.
type DeliveryPage struct {
	Deliveries List[Delivery] `json:"deliveries"`
	NextCursor *string        `json:"nextCursor"`
}

// Usage is what the jobs of some days came to.
type Usage struct {
	From  string         `json:"from"`
	To    string         `json:"to"`
	Usage List[DayUsage] `json:"usage"`
}

// DayUsage is what the jobs of one provider came to on one day, in UTC.
type DayUsage struct {
	Date           string `json:"date"`
	Provider       string `json:"provider"`
	Completed      int64  `json:"completed"`
	Failed         int64  `json:"failed"`
	CreditsCharged int64  `json:"creditsCharged"`
}

// QuoteItem is the price of one task of a quote.
type QuoteItem struct {
	Index           int    `json:"index"`
	Success         bool   `json:"success"`
	CreditsToCharge *int64 `json:"creditsToCharge,omitempty"`
	Error           *Error `json:"error,omitempty"`
}

// BatchItem is what became of one task of a batch.
type BatchItem struct {
	Index   int          `json:"index"`
	Success bool         `json:"success"`
	Task    *Task        `json:"task,omitempty"`
	Credits *TaskCredits `json:"credits,omitempty"`
	Error   *Error       `json:"error,omitempty"`
}

// BatchSummary counts what became of a batch.
type BatchSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}
