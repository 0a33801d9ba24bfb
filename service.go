package earshot

// LiveStatus is the data of an event `status` of `GET /v1/live`.
type LiveStatus struct {
	Credits Credits     `json:"credits"`
	Queue   QueueStatus `json:"queue"`
}

// LiveTasks is the data of an event `tasks` of `GET /v1/live`: tasks that were
// submitted, started or ended since the last one.
type LiveTasks struct {
	IDs List[string] `json:"ids" schema:"uuid"`
}

// Stats is what the jobs of the last hours came to, oldest hour first.
type Stats struct {
	Hours List[HourStats] `json:"hours"`
}

// HourStats is what the jobs of one provider came to that ended within one hour.
// The percentiles are of the time from start to end; they are null when none of
// the jobs was started.
type HourStats struct {
	// The hour's beginning.
	At       Timestamp `json:"at"`
	Provider string    `json:"provider" schema:"provider"`
	// Calls and tasks that ended, failed ones included.
	Jobs   int64  `json:"jobs" schema:"min=1"`
	Failed int64  `json:"failed" schema:"min=0"`
	P50Ms  *int64 `json:"p50Ms" schema:"min=0"`
	P95Ms  *int64 `json:"p95Ms" schema:"min=0"`
}

// Usage is what the jobs of some days came to.
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

// DayUsage is what the jobs of one provider came to on one day, in UTC.
type DayUsage struct {
	Date           string `json:"date" schema:"date"`
	Provider       string `json:"provider" schema:"provider"`
	Completed      int64  `json:"completed" schema:"min=0"`
	Failed         int64  `json:"failed" schema:"min=0"`
	CreditsCharged int64  `json:"creditsCharged" schema:"min=0"`
}

// ExtractionHealth tells how well the parsers understand what they are served.
type ExtractionHealth struct {
	Providers List[ProviderHealth] `json:"providers"`
}

// ProviderHealth is how well the documents of one provider's surface are understood.
type ProviderHealth struct {
	Provider string  `json:"provider" schema:"provider"`
	Surface  Surface `json:"surface"`
	// The worst state of its fields.
	State  HealthState       `json:"state"`
	Fields List[FieldHealth] `json:"fields"`
	// Blocks of result pages that nobody understood in the last day, the most frequent first.
	UnknownBlocks List[UnknownBlock] `json:"unknownBlocks" schema:"maxItems=50"`
}

// UnknownBlock is the heading of blocks that nobody understood, and how many there
// were. Headings that repeat a query are left out.
type UnknownBlock struct {
	Title string `json:"title"`
	Seen  int64  `json:"seen" schema:"min=0"`
}

// HealthState is how well a field is filled, against the week before.
type HealthState string

// The states of a field.
const (
	HealthUnknown HealthState = "unknown" // too little to tell
	HealthOK      HealthState = "ok"
	HealthLow     HealthState = "low"
	HealthAlarm   HealthState = "alarm"
)

// Values lists the states.
func (HealthState) Values() []HealthState {
	return []HealthState{HealthUnknown, HealthOK, HealthLow, HealthAlarm}
}

// FieldHealth is how often a field of a result is filled.
type FieldHealth struct {
	Field    string      `json:"field"`
	State    HealthState `json:"state"`
	LastHour FieldShare  `json:"lastHour"`
	LastDay  FieldShare  `json:"lastDay"`
	// Its rate over the week before; null when it was not seen.
	Baseline *float64 `json:"baseline" schema:"min=0,max=1"`
}

// FieldShare counts how often a field was filled, and could have been.
type FieldShare struct {
	Seen   int64 `json:"seen" schema:"min=0"`
	Filled int64 `json:"filled" schema:"min=0"`
	// Null when it was not seen.
	Rate *float64 `json:"rate" schema:"min=0,max=1"`
}

// NodeStatus says that a node is alive (`ok`) or can take work (`ready`).
type NodeStatus struct {
	Status string `json:"status" schema:"enum=ok|ready"`
}
