package earshot

// AlertKind is what an alert tells.
type AlertKind string

// The kinds.
const (
	AlertShift      AlertKind = "shift"      // a series has moved and stays there
	AlertSource     AlertKind = "source"     // sources are cited more or less than before
	AlertCoverage   AlertKind = "coverage"   // too much of a sweep is missing to go on with its series
	AlertBlocked    AlertKind = "blocked"    // and most of that because the provider refused
	AlertUnreadable AlertKind = "unreadable" // and most of that because no parser understood
	AlertCeiling    AlertKind = "ceiling"    // most of what a month may cost is spent or reserved
	AlertSweep      AlertKind = "sweep"      // a sweep was missed or skipped
)

// Values lists the kinds.
func (AlertKind) Values() []AlertKind {
	return []AlertKind{AlertShift, AlertSource, AlertCoverage, AlertBlocked, AlertUnreadable, AlertCeiling, AlertSweep}
}

// Alert is something about a tracker that a person should look at. As long as it is
// open, no other alert tells the same.
type Alert struct {
	ID   string    `json:"id" schema:"uuid"`
	Kind AlertKind `json:"kind"`
	// What it is about: a series, targets, a month; with the kind it tells alerts apart.
	Subject string `json:"subject"`
	// All of it in a sentence.
	Summary  string    `json:"summary"`
	RaisedAt Timestamp `json:"raisedAt"`
	// The sweep that raised it.
	Sweep string `json:"sweep" schema:"uuid"`
	// Whether nobody has acknowledged it.
	Open bool `json:"open"`
	// Null while it is open.
	AcknowledgedAt *Timestamp `json:"acknowledgedAt"`
	// The id of the key that acknowledged it; absent where nobody had to, since it was found long after its sweep.
	AcknowledgedBy string `json:"acknowledgedBy,omitempty"`
	// Whether the answers behind it were made up by the lab.
	MadeUp bool `json:"madeUp"`
	// Of the kind `shift`.
	Shift *SeriesShift `json:"shift,omitempty"`
	// Of the kind `source`: those that moved most, at most 10.
	Sources List[SourceShift] `json:"sources,omitempty"`
}

// SeriesShift is a lasting change of one metric of one brand on one target.
type SeriesShift struct {
	Metric string `json:"metric"`
	Brand  string `json:"brand"`
	Target string `json:"target"`
	// `up` or `down`.
	Direction string `json:"direction" schema:"enum=up|down"`
	// Means of the sweeps before the change and from then on.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Of the change, 95 %; absent below two sweeps a side.
	Interval []float64 `json:"interval,omitempty"`
	// When the first sweep was due that the change shows in, as the detector estimates it.
	Since Timestamp `json:"since"`
	// Sweeps before, at most 28, and from then on.
	SweepsBefore int `json:"sweepsBefore" schema:"min=0"`
	SweepsAfter  int `json:"sweepsAfter" schema:"min=0"`
	// Where the detector stood, and what it had to pass: `h` follows from the tracker's budget of false alarms.
	Score float64 `json:"score"`
	H     float64 `json:"h"`
	// The questions that carry it, those that moved most in its direction first; at most 5.
	Prompts List[ShiftPart] `json:"prompts"`
	// The same brand and metric on each target.
	Targets List[ShiftPart] `json:"targets"`
	// The answers behind the two means.
	AnswersBeforeURL string `json:"answersBeforeUrl"`
	AnswersAfterURL  string `json:"answersAfterUrl"`
}

// ShiftPart is what a question or a target has of a change.
type ShiftPart struct {
	// The question, or the target.
	Name string  `json:"name"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// SourceShift is a domain that is cited more or less than before, beyond what a rerun
// would show.
type SourceShift struct {
	Domain string `json:"domain"`
	// Shares of all citations in the two windows of sweeps.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	P    float64 `json:"p"`
}

// AlertQuery says which alerts to list.
type AlertQuery struct {
	// Only those that nobody has acknowledged.
	Open   bool      `json:"open,omitempty"`
	Kind   AlertKind `json:"kind,omitempty"`
	Limit  int       `json:"limit,omitempty" schema:"min=1,max=100,default=20"`
	Cursor string    `json:"cursor,omitempty" schema:"cursor"`
}

// AlertPage is a page of alerts, the newest first.
type AlertPage struct {
	Alerts     List[Alert] `json:"alerts"`
	NextCursor *string     `json:"nextCursor" schema:"nextCursor"`
}

// AlertAcknowledged is an alert that a person has seen.
type AlertAcknowledged struct {
	Succeeded
	Alert Alert `json:"alert"`
}

// AlertEvent is the body of a webhook that tells of an alert.
type AlertEvent struct {
	Type    AlertEventType `json:"type"`
	Tracker string         `json:"tracker"`
	Alert   Alert          `json:"alert"`
}

// AlertEventType is what a webhook tells of an alert.
type AlertEventType string

// The types.
const (
	AlertRaised AlertEventType = "alert.raised"
	AlertTested AlertEventType = "alert.test"
)

// Values lists the types.
func (AlertEventType) Values() []AlertEventType { return []AlertEventType{AlertRaised, AlertTested} }

// ChannelKind is how a channel is reached.
type ChannelKind string

// The kinds.
const (
	ChannelWebhook ChannelKind = "webhook" // a signed message, as for tasks
	ChannelMail    ChannelKind = "mail"
	ChannelSlack   ChannelKind = "slack"   // an incoming webhook of Slack, or of what takes the same
	ChannelDiscord ChannelKind = "discord" // the same of Discord
)

// Values lists the kinds.
func (ChannelKind) Values() []ChannelKind {
	return []ChannelKind{ChannelWebhook, ChannelMail, ChannelSlack, ChannelDiscord}
}

// ChannelRequest says where a channel leads.
type ChannelRequest struct {
	Kind ChannelKind `json:"kind"`
	// The receiver of `webhook`, `slack` or `discord`. It is never shown again.
	URL string `json:"url,omitempty" schema:"maxLength=2000"`
	// The addresses of `mail`.
	To List[string] `json:"to,omitempty" schema:"maxItems=10,maxLength=254"`
}

// Channel is where alerts of trackers can be sent. A tracker names its channels.
type Channel struct {
	Name string      `json:"name"`
	Kind ChannelKind `json:"kind"`
	// The host of the receiver, or the addresses: all that is shown of where it leads.
	Receiver  string    `json:"receiver"`
	CreatedAt Timestamp `json:"createdAt"`
	UpdatedAt Timestamp `json:"updatedAt"`
}

// ChannelList is all channels of an organization.
type ChannelList struct {
	Channels List[Channel] `json:"channels"`
}

// ChannelSaved is a channel that was made or changed.
type ChannelSaved struct {
	Succeeded
	Created bool    `json:"created"`
	Channel Channel `json:"channel"`
}

// ChannelDeleted is a channel that was deleted.
type ChannelDeleted struct {
	Succeeded
	Name string `json:"name"`
}

// AlertTestRequest says which channel to try.
type AlertTestRequest struct {
	// The name of a channel; all of the tracker's unless given.
	Channel string `json:"channel,omitempty" schema:"maxLength=100"`
}

// AlertTestResult tells how a test went, channel by channel.
type AlertTestResult struct {
	Succeeded
	Tests List[ChannelTest] `json:"tests"`
}

// ChannelTest is how a test of one channel went.
type ChannelTest struct {
	Channel string      `json:"channel"`
	Kind    ChannelKind `json:"kind"`
	WebhookTest
}
