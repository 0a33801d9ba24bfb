package earshot

// LiveStatus is the data of a `status` event of `GET /v1/live`.
type LiveStatus struct {
	Credits Credits     `json:"credits"`
	Queue   QueueStatus `json:"queue"`
}

// LiveTasks is the data of a `tasks` event of `GET /v1/live`: the tasks that were
// submitted, started or ended since the previous event.
type LiveTasks struct {
	IDs List[string] `json:"ids" schema:"uuid"`
}

// Stats is the number and latency of finished calls and tasks by hour, oldest hour first.
type Stats struct {
	Hours List[HourStats] `json:"hours"`
}

// HourStats is the number of calls and tasks of one provider that ended within one hour,
// and percentiles of their latency. The percentiles are `null` when none was started.
type HourStats struct {
	// The start of the hour.
	At       Timestamp `json:"at"`
	Provider string    `json:"provider" schema:"provider"`
	// How many calls and tasks ended, including failed ones.
	Jobs   int64  `json:"jobs" schema:"min=1"`
	Failed int64  `json:"failed" schema:"min=0"`
	P50Ms  *int64 `json:"p50Ms" schema:"min=0"`
	P95Ms  *int64 `json:"p95Ms" schema:"min=0"`
}

// Usage is the number and cost of finished calls and tasks by day.
type Usage struct {
	From  string         `json:"from" schema:"date"`
	To    string         `json:"to" schema:"date"`
	Usage List[DayUsage] `json:"usage"`
	// Requests to upstreams and what they charged the operator, by day, upstream and provider. The lab is left out.
	Upstreams List[UpstreamUsage] `json:"upstreams"`
}

// UpstreamUsage is what one upstream did for one provider on one day, in UTC.
type UpstreamUsage struct {
	Date string `json:"date" schema:"date"`
	// The upstream as the settings name it, such as `api:openai` or `via:cloro`.
	Upstream string `json:"upstream"`
	Provider string `json:"provider" schema:"provider"`
	Answered int64  `json:"answered" schema:"min=0"`
	Failed   int64  `json:"failed" schema:"min=0"`
	// Failed requests that the upstream charged.
	ChargedFailures int64 `json:"chargedFailures" schema:"min=0"`
	// All charges in US dollars.
	USD float64 `json:"usd" schema:"min=0"`
	// The part of `usd` that the upstream did not report and that was computed from the prices in the settings.
	EstimatedUSD float64 `json:"estimatedUsd" schema:"min=0"`
}

// DayUsage is the number and cost of one provider's finished calls and tasks on one UTC day.
type DayUsage struct {
	Date           string `json:"date" schema:"date"`
	Provider       string `json:"provider" schema:"provider"`
	Completed      int64  `json:"completed" schema:"min=0"`
	Failed         int64  `json:"failed" schema:"min=0"`
	CreditsCharged int64  `json:"creditsCharged" schema:"min=0"`
}

// UnparsedPage is a document that no parser understood. It is kept for 14 days.
type UnparsedPage struct {
	ID       string    `json:"id"`
	Provider string    `json:"provider" schema:"provider"`
	Surface  Surface   `json:"surface"`
	KeptAt   Timestamp `json:"keptAt"`
	// The number of documents that the upstream has sent.
	Pages int `json:"pages" schema:"min=1"`
}

// UnparsedList is the documents that no parser understood, newest first.
type UnparsedList struct {
	Pages List[UnparsedPage] `json:"pages"`
}

// UnparsedQuery is which of the documents to read.
type UnparsedQuery struct {
	// The number of the document.
	Page int `json:"page,omitempty" schema:"min=1,max=100,default=1"`
}

// NodeStatus is the state of a node: `ok` when it is alive, `ready` when it can take work.
type NodeStatus struct {
	Status string `json:"status" schema:"enum=ok|ready"`
}
