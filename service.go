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

// ExtractionHealth is how well the parsers understand the providers' documents.
type ExtractionHealth struct {
	Providers List[ProviderHealth] `json:"providers"`
}

// ProviderHealth is how well the documents of one provider on one surface are understood.
type ProviderHealth struct {
	Provider string  `json:"provider" schema:"provider"`
	Surface  Surface `json:"surface"`
	// The worst state of all fields.
	State  HealthState       `json:"state"`
	Fields List[FieldHealth] `json:"fields"`
	// The layout versions of documents in the last day, the most frequent first.
	Layouts List[LayoutHealth] `json:"layouts" schema:"maxItems=21"`
	// The number of blocks of result pages in the last day, and how many of them were not recognized.
	BlockCount        int64 `json:"blockCount" schema:"min=0"`
	UnknownBlockCount int64 `json:"unknownBlockCount" schema:"min=0"`
	// The unrecognized blocks of result pages in the last day, the most frequent first.
	UnknownBlocks List[UnknownBlock] `json:"unknownBlocks" schema:"maxItems=50"`
}

// LayoutHealth is how well the documents with one layout are understood.
type LayoutHealth struct {
	// A fingerprint of the layout, which changes when the site changes it. Rare layouts are counted together as `other`.
	Layout string `json:"layout"`
	// The worst state of all fields in documents with this layout.
	State HealthState `json:"state"`
	// The number of documents in the last day.
	Seen int64 `json:"seen" schema:"min=0"`
	// The share of the documents of the last day that have a layout.
	Share     float64           `json:"share" schema:"min=0,max=1"`
	FirstSeen *Timestamp        `json:"firstSeen,omitempty"`
	LastSeen  *Timestamp        `json:"lastSeen,omitempty"`
	Fields    List[LayoutField] `json:"fields"`
}

// LayoutField is how often a field was filled in the last day in documents with one layout.
type LayoutField struct {
	Field   string      `json:"field"`
	State   HealthState `json:"state"`
	LastDay FieldShare  `json:"lastDay"`
}

// UnknownBlock is the heading of unrecognized blocks, and how often it was seen. Headings
// that repeat a query are left out.
type UnknownBlock struct {
	Title string `json:"title"`
	Seen  int64  `json:"seen" schema:"min=0"`
	// When a block with this heading was first seen. A block that has not been seen for 14 days counts as new.
	FirstSeen *Timestamp `json:"firstSeen,omitempty"`
}

// HealthState says whether the fill rate of a field fell for good.
type HealthState string

// The states of a field.
const (
	HealthUnknown HealthState = "unknown" // not enough data
	HealthOK      HealthState = "ok"
	HealthLow     HealthState = "low"   // fell by less than a tenth, or is recovering
	HealthAlarm   HealthState = "alarm" // fell by a tenth or more
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
	// The rate over the week before; `null` when the field was not seen.
	Baseline *float64 `json:"baseline" schema:"min=0,max=1"`
	// When the fill rate fell, while the state is `low` or `alarm`.
	Since *Timestamp `json:"since,omitempty"`
}

// FieldShare is how often a field was filled (`filled`), out of how many times it could have been (`seen`).
type FieldShare struct {
	Seen   int64 `json:"seen" schema:"min=0"`
	Filled int64 `json:"filled" schema:"min=0"`
	// `null` when the field was not seen.
	Rate *float64 `json:"rate" schema:"min=0,max=1"`
}

// NodeStatus is the state of a node: `ok` when it is alive, `ready` when it can take work.
type NodeStatus struct {
	Status string `json:"status" schema:"enum=ok|ready"`
}
