package earshot

// LiveStatus is how an organization stands at one moment.
type LiveStatus struct {
	Credits Credits     `json:"credits"`
	Queue   QueueStatus `json:"queue"`
}

// LiveTasks are tasks that were submitted, started or ended since the last ones.
type LiveTasks struct {
	IDs List[string] `json:"ids"`
}

// Stats is what the last hours' jobs came to.
type Stats struct {
	Hours List[HourStats] `json:"hours"`
}

// HourStats is what the jobs of one provider came to that ended within one hour.
// The percentiles are of the time from start to end; they are null when none of
// the jobs was started.
type HourStats struct {
	At       Timestamp `json:"at"` // the hour's beginning
	Provider string    `json:"provider"`
	Jobs     int64     `json:"jobs"` // calls and tasks
	Failed   int64     `json:"failed"`
	P50Ms    *int64    `json:"p50Ms"`
	P95Ms    *int64    `json:"p95Ms"`
}
