package earshot

// ReportPlan says when a tracker's report is sent by itself, and where to.
type ReportPlan struct {
	Every string `json:"every" schema:"enum=day|week|month"`
	// The time of day, as `08:00`; midnight unless given.
	At string `json:"at,omitempty" schema:"clock"`
	// With `week`; `monday` unless given.
	Weekday string `json:"weekday,omitempty" schema:"enum=monday|tuesday|wednesday|thursday|friday|saturday|sunday"`
	// With `month`; in a month that has fewer days, its last.
	MonthDay int `json:"monthDay,omitempty" schema:"min=1,max=31"`
	// A name of the IANA database, such as `Europe/Berlin`; that of the schedule unless given.
	Timezone string `json:"timezone,omitempty" schema:"maxLength=64"`
	// How many whole days before it a report is of. Unless given these are 7, of a monthly report those since the one before.
	Days int `json:"days,omitempty" schema:"min=1,max=366"`
	// Names of channels of the organization; those of `alerts` unless given.
	Channels List[string] `json:"channels,omitempty" schema:"maxItems=20,maxLength=100"`
}

// ExportPlan says what of a tracker is written to the operator's folder or bucket, a file
// for each table and day, whenever something of that day has changed.
type ExportPlan struct {
	Tables List[string] `json:"tables" schema:"minItems=1,enum=answers|mentions|citations|metrics|sweeps,unique"`
	// `parquet` unless given.
	Format string `json:"format,omitempty" schema:"enum=parquet|ndjson|csv"`
}

// ReportStatus is when a tracker's report is sent, and how the last one went.
type ReportStatus struct {
	// Null when none is due.
	NextAt *Timestamp `json:"nextAt"`
	// Absent before the first.
	Last *SentReport `json:"last,omitempty"`
}

// SentReport is a report that was sent to channels.
type SentReport struct {
	ID string `json:"id" schema:"uuid"`
	// The civil time for which it was due; of one that was sent by hand `manual`, the minute and the channel.
	Slot   string    `json:"slot"`
	MadeAt Timestamp `json:"madeAt"`
	// First and last day of the period.
	From string `json:"from" schema:"date"`
	To   string `json:"to" schema:"date"`
	// What it says, in a few lines.
	Summary List[string] `json:"summary"`
	// Whether the answers behind it were made up by the lab.
	MadeUp bool `json:"madeUp"`
	// Where the API has it, as it would be written now.
	URL string `json:"url"`
	// How far it came; absent in a webhook.
	Deliveries List[ReportDelivery] `json:"deliveries,omitempty"`
}

// ReportDelivery is how far a report came on a channel.
type ReportDelivery struct {
	Channel string `json:"channel"`
	// `failed` once no more tries are planned.
	State string `json:"state" schema:"enum=pending|delivered|failed"`
	// How the last try went wrong.
	Error string `json:"error,omitempty"`
}

// ReportEvent is the body of a webhook that brings a report.
type ReportEvent struct {
	Type    ReportEventType `json:"type"`
	Tracker string          `json:"tracker"`
	Report  SentReport      `json:"report"`
}

// ReportEventType is what a webhook tells of a report.
type ReportEventType string

// ReportMade is the only type.
const ReportMade ReportEventType = "report.made"

// Values lists the types.
func (ReportEventType) Values() []ReportEventType { return []ReportEventType{ReportMade} }

// ReportSendRequest says where to send a report now.
type ReportSendRequest struct {
	// The name of a channel; those that the tracker's reports are sent to unless given.
	Channel string `json:"channel,omitempty" schema:"maxLength=100"`
}

// ReportSent is a report that is on its way to channels.
type ReportSent struct {
	Succeeded
	Report SentReport `json:"report"`
}

// ExportStatus is how the export of a tracker stands.
type ExportStatus struct {
	// Days that are still to be written.
	DaysWaiting int `json:"daysWaiting" schema:"min=0"`
	// When a day was written, last; null before the first.
	WrittenAt *Timestamp `json:"writtenAt"`
	// Why a day that waits could not be written; it is tried again.
	Error string `json:"error,omitempty"`
}
