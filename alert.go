package earshot

// AlertKind is the subject of an alert.
type AlertKind string

// The kinds.
const (
	AlertShift      AlertKind = "shift"      // a metric changed and stayed at the new level
	AlertRecovered  AlertKind = "recovered"  // a metric is back within the range from before a shift
	AlertSource     AlertKind = "source"     // sources are cited more or less often than before
	AlertAd         AlertKind = "ad"         // a rival started to appear in ads
	AlertUncited    AlertKind = "uncited"    // pages of own brands are retrieved but no longer cited
	AlertPrice      AlertKind = "price"      // the price of a product left the range of the last 28 days
	AlertCoverage   AlertKind = "coverage"   // too many answers of a sweep are missing to update its metrics
	AlertBlocked    AlertKind = "blocked"    // as coverage, mostly because the provider refused
	AlertUnreadable AlertKind = "unreadable" // as coverage, mostly because no parser understood the answers
	AlertCeiling    AlertKind = "ceiling"    // most of the monthly ceiling is spent or reserved
	AlertSweep      AlertKind = "sweep"      // a sweep was missed or skipped
)

// Values lists the kinds.
func (AlertKind) Values() []AlertKind {
	return []AlertKind{AlertShift, AlertRecovered, AlertSource, AlertAd, AlertUncited, AlertPrice, AlertCoverage, AlertBlocked, AlertUnreadable, AlertCeiling, AlertSweep}
}

// Alert is a change or problem of a tracker that a person should look at. While an alert
// is open, the same change or problem raises no second alert.
type Alert struct {
	ID   string    `json:"id" schema:"uuid"`
	Kind AlertKind `json:"kind"`
	// The series, targets or month that the alert is about. Kind and subject together identify an open alert.
	Subject string `json:"subject"`
	// The whole alert in one sentence.
	Summary  string    `json:"summary"`
	RaisedAt Timestamp `json:"raisedAt"`
	// The id of the sweep that raised the alert.
	Sweep string `json:"sweep" schema:"uuid"`
	// Whether the alert has not been acknowledged yet.
	Open bool `json:"open"`
	// `null` while the alert is open.
	AcknowledgedAt *Timestamp `json:"acknowledgedAt"`
	// The id of the key that acknowledged the alert; absent when the alert was closed automatically: it was found long after its sweep, or the metric recovered.
	AcknowledgedBy string `json:"acknowledgedBy,omitempty"`
	// When the metric was found to be back within the range from before the change; only on alerts of the kind `shift`.
	RecoveredAt *Timestamp `json:"recoveredAt,omitempty"`
	// Whether the answers behind the alert were made up by the lab.
	MadeUp bool `json:"madeUp"`
	// The change; only on alerts of the kind `shift`.
	Shift *SeriesShift `json:"shift,omitempty"`
	// The sources that changed most, at most 10; only on alerts of the kind `source`.
	Sources List[SourceShift] `json:"sources,omitempty"`
}

// SeriesShift is a lasting change of one metric of one brand on one target.
type SeriesShift struct {
	Metric string `json:"metric"`
	Brand  string `json:"brand"`
	Target string `json:"target"`
	// Whether the metric rose (`up`) or fell (`down`).
	Direction string `json:"direction" schema:"enum=up|down"`
	// The mean of the sweeps before the change (`from`) and since the change (`to`).
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// The 95 % confidence interval of the change; absent when there are fewer than two sweeps before or after the change.
	Interval []float64 `json:"interval,omitempty"`
	// When the first changed sweep was due, as estimated by the change detector.
	Since Timestamp `json:"since"`
	// How many sweeps the two means are made of: at most 28 before the change, and all since.
	SweepsBefore int `json:"sweepsBefore" schema:"min=0"`
	SweepsAfter  int `json:"sweepsAfter" schema:"min=0"`
	// The detector's score, and the threshold `h` that the score exceeded. The threshold depends on the tracker's `falseAlarmsPerYear`.
	Score float64 `json:"score"`
	H     float64 `json:"h"`
	// The prompts that changed most in the same direction, the largest change first; at most 5.
	Prompts List[ShiftPart] `json:"prompts"`
	// The same brand and metric on each target.
	Targets List[ShiftPart] `json:"targets"`
	// Changes that were found while the alert was open.
	Further List[FurtherShift] `json:"further,omitempty"`
	// Where the answers behind the two means are listed.
	AnswersBeforeURL string `json:"answersBeforeUrl"`
	AnswersAfterURL  string `json:"answersAfterUrl"`
}

// FurtherShift is a lasting change of a series whose alert was still open.
type FurtherShift struct {
	// The sweep in which the change was found.
	Sweep     string `json:"sweep" schema:"uuid"`
	Direction string `json:"direction" schema:"enum=up|down"`
	// When the first changed sweep was due, as estimated by the change detector.
	Since Timestamp `json:"since"`
}

// ShiftPart is the change of one prompt or one target.
type ShiftPart struct {
	// The text of the prompt, or the target.
	Name string  `json:"name"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// SourceShift is a domain whose share of citations changed by more than normal variation.
type SourceShift struct {
	Domain string `json:"domain"`
	// The domain's share of all citations in the earlier and the later window of sweeps.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	P    float64 `json:"p"`
}

// AlertQuery is a filter of the list of alerts.
type AlertQuery struct {
	// Only alerts that have not been acknowledged.
	Open   bool      `json:"open,omitempty"`
	Kind   AlertKind `json:"kind,omitempty"`
	Limit  int       `json:"limit,omitempty" schema:"min=1,max=100,default=20"`
	Cursor string    `json:"cursor,omitempty" schema:"cursor"`
}

// AlertPage is a page of alerts, newest first.
type AlertPage struct {
	Alerts     List[Alert] `json:"alerts"`
	NextCursor *string     `json:"nextCursor" schema:"nextCursor"`
}

// AlertAcknowledged is the alert after it was acknowledged.
type AlertAcknowledged struct {
	Succeeded
	Alert Alert `json:"alert"`
}

// AlertEvent is the body of a webhook about an alert.
type AlertEvent struct {
	Type AlertEventType `json:"type"`
	// Empty if a channel is tested by itself.
	Tracker string `json:"tracker"`
	// The tracker's title; absent when its definition has none.
	Title string `json:"title,omitempty"`
	Alert Alert  `json:"alert"`
}

// AlertEventType is why the webhook was sent: `alert.raised` for a new alert, `alert.test` for a test of the channel.
type AlertEventType string

// The types.
const (
	AlertRaised AlertEventType = "alert.raised"
	AlertTested AlertEventType = "alert.test"
)

// Values lists the types.
func (AlertEventType) Values() []AlertEventType { return []AlertEventType{AlertRaised, AlertTested} }

// ChannelKind is how a channel delivers alerts and reports.
type ChannelKind string

// The kinds.
const (
	ChannelWebhook   ChannelKind = "webhook" // a signed webhook, as for tasks
	ChannelMail      ChannelKind = "mail"
	ChannelSlack     ChannelKind = "slack"     // an incoming webhook of Slack or of a compatible service
	ChannelDiscord   ChannelKind = "discord"   // a webhook of Discord
	ChannelTeams     ChannelKind = "teams"     // a workflow of Microsoft Teams that posts webhook messages
	ChannelTelegram  ChannelKind = "telegram"  // a Telegram bot
	ChannelPagerDuty ChannelKind = "pagerduty" // the Events API v2 of PagerDuty
)

// Values lists the kinds.
func (ChannelKind) Values() []ChannelKind {
	return []ChannelKind{ChannelWebhook, ChannelMail, ChannelSlack, ChannelDiscord, ChannelTeams, ChannelTelegram, ChannelPagerDuty}
}

// ChannelRequest is the receiver of a channel. The API never returns its URL, token or key.
type ChannelRequest struct {
	Kind ChannelKind `json:"kind"`
	// The URL of a `webhook`, `slack`, `discord` or `teams` channel. For `telegram`, the URL of your own Bot API server; for `pagerduty`, the endpoint of another service region.
	URL string `json:"url,omitempty" schema:"maxLength=2000"`
	// The addresses of a `mail` channel.
	To List[string] `json:"to,omitempty" schema:"maxItems=10,maxLength=254"`
	// The token of a `telegram` bot.
	BotToken string `json:"botToken,omitempty" schema:"maxLength=200"`
	// The `telegram` chat: its number, or `@` and the name of a public channel.
	ChatID string `json:"chatId,omitempty" schema:"maxLength=100"`
	// The integration key of a `pagerduty` service.
	RoutingKey string `json:"routingKey,omitempty" schema:"maxLength=100"`
}

// Channel is a place to which a tracker's alerts and reports can be sent. A tracker's definition names its channels.
type Channel struct {
	Name string      `json:"name"`
	Kind ChannelKind `json:"kind"`
	// The host of the URL, the mail addresses or the chat. The whole URL is never shown.
	Receiver  string    `json:"receiver"`
	CreatedAt Timestamp `json:"createdAt"`
	UpdatedAt Timestamp `json:"updatedAt"`
	// The version of the channel, for `If-Match`.
	ETag string `json:"etag"`
}

// Tag returns the version of the channel.
func (c Channel) Tag() string { return c.ETag }

// ChannelList is the channels of an organization.
type ChannelList struct {
	Channels List[Channel] `json:"channels"`
}

// ChannelSaved is the channel after it was created or changed.
type ChannelSaved struct {
	Succeeded
	Created bool    `json:"created"`
	Channel Channel `json:"channel"`
}

// Tag returns the version of the channel.
func (c ChannelSaved) Tag() string { return c.Channel.ETag }

// ChannelDeleted is the name of the deleted channel.
type ChannelDeleted struct {
	Succeeded
	Name string `json:"name"`
}

// AlertTestRequest is the channel to test.
type AlertTestRequest struct {
	// The name of a channel. By default, all channels of the tracker are tested.
	Channel string `json:"channel,omitempty" schema:"maxLength=100"`
}

// AlertTestResult is the result of a test, one entry for each channel.
type AlertTestResult struct {
	Succeeded
	Tests List[ChannelTest] `json:"tests"`
}

// ChannelTest is the result of a test of one channel.
type ChannelTest struct {
	Channel string      `json:"channel"`
	Kind    ChannelKind `json:"kind"`
	WebhookTest
}

// ChannelTestResponse is the result of a test of one channel.
type ChannelTestResponse struct {
	Succeeded
	Test ChannelTest `json:"test"`
}
