package earshot

// ReportPlan is when and where a tracker's report is sent automatically.
type ReportPlan struct {
	Every string `json:"every" schema:"enum=day|week|month"`
	// The time of day, such as `08:00`; midnight by default.
	At string `json:"at,omitempty" schema:"clock"`
	// Only with `every: week`; `monday` by default.
	Weekday string `json:"weekday,omitempty" schema:"enum=monday|tuesday|wednesday|thursday|friday|saturday|sunday"`
	// Only with `every: month`. In a shorter month, the last day of that month.
	MonthDay int `json:"monthDay,omitempty" schema:"min=1,max=31"`
	// An IANA time zone, such as `Europe/Berlin`; the time zone of the schedule by default.
	Timezone string `json:"timezone,omitempty" schema:"maxLength=64"`
	// How many whole days before it the report covers. By default 7; for a monthly report, the days since the previous report.
	Days int `json:"days,omitempty" schema:"min=1,max=366"`
	// Names of the organization's channels; the channels of `alerts` by default.
	Channels List[string] `json:"channels,omitempty" schema:"maxItems=20,maxLength=100"`
}

// ExportPlan is the tables of a tracker that are written to the operator's folder or
// bucket: one file for each table and day, rewritten when the data of that day change.
// The same days can be shown in SQL views.
type ExportPlan struct {
	Tables List[string] `json:"tables,omitempty" schema:"minItems=1,enum=answers|mentions|citations|metrics|sweeps,unique"`
	// The file format; `parquet` by default.
	Format string `json:"format,omitempty" schema:"enum=parquet|ndjson|csv"`
	// Whether the SQL views `report_mentions`, `report_citations` and `report_metrics` show the
	// tracker to programs with access to the database. Needs no folder or bucket.
	SQL bool `json:"sql,omitempty"`
}

// ReportStatus is the next and the last report of a tracker.
type ReportStatus struct {
	// `null` when no report is due.
	NextAt *Timestamp `json:"nextAt"`
	// Absent before the first report.
	Last *SentReport `json:"last,omitempty"`
}

// SentReport is a report that was sent to channels.
type SentReport struct {
	ID string `json:"id" schema:"uuid"`
	// The local time for which the report was due. For a report that was sent by hand: `manual`, the minute and the channel.
	Slot   string    `json:"slot"`
	MadeAt Timestamp `json:"madeAt"`
	// The first and the last day of the period.
	From string `json:"from" schema:"date"`
	To   string `json:"to" schema:"date"`
	// The main results, in a few lines.
	Summary List[string] `json:"summary"`
	// Whether the answers behind the report were made up by the lab.
	MadeUp bool `json:"madeUp"`
	// The path that returns the report with current data.
	URL string `json:"url"`
	// The delivery to each channel; absent in a webhook.
	Deliveries List[ReportDelivery] `json:"deliveries,omitempty"`
}

// ReportDelivery is the delivery of a report to a channel.
type ReportDelivery struct {
	Channel string `json:"channel"`
	// `failed` when no more attempts are planned.
	State string `json:"state" schema:"enum=pending|delivered|failed"`
	// Why the last attempt failed.
	Error string `json:"error,omitempty"`
}

// ReportEvent is the body of a webhook with a report.
type ReportEvent struct {
	Type    ReportEventType `json:"type"`
	Tracker string          `json:"tracker"`
	// The tracker's title; absent when its definition has none.
	Title  string     `json:"title,omitempty"`
	Report SentReport `json:"report"`
}

// ReportEventType is why the webhook was sent.
type ReportEventType string

// ReportMade is the only type.
const ReportMade ReportEventType = "report.made"

// Values lists the types.
func (ReportEventType) Values() []ReportEventType { return []ReportEventType{ReportMade} }

// ReportSendRequest is the channel to which to send a report now.
type ReportSendRequest struct {
	// The name of a channel. By default, the channels of the tracker's reports.
	Channel string `json:"channel,omitempty" schema:"maxLength=100"`
}

// ReportSent is a report whose delivery has been planned.
type ReportSent struct {
	Succeeded
	Report SentReport `json:"report"`
}

// ExportStatus is the progress of a tracker's export.
type ExportStatus struct {
	// How many days still have to be written.
	DaysWaiting int `json:"daysWaiting" schema:"min=0"`
	// When a day was last written; `null` before the first one.
	WrittenAt *Timestamp `json:"writtenAt"`
	// Why a day could not be written. The export tries again.
	Error string `json:"error,omitempty"`
}
