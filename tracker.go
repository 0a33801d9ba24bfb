package earshot

import "encoding/json"

// TrackerDefinition is what a tracker asks, on which targets, how often, and which brands
// it looks for. It is a JSON or YAML file that is applied as a whole.
type TrackerDefinition struct {
	// The tracker's name. It may be left out; otherwise it must be the name in the path.
	Name string `json:"name,omitempty" schema:"trackerName"`
	// The name that people see, in any script; the tracker's name by default. A new title changes no metric.
	Title string `json:"title,omitempty" schema:"title"`
	// The brands that are looked for in the answers.
	Brands List[Brand] `json:"brands,omitempty" schema:"maxItems=500"`
	// Types of sites, for domains that the built-in table of well-known sites does not know or gets wrong. The longest matching domain decides.
	Sources List[SourceType] `json:"sources,omitempty" schema:"maxItems=1000"`
	// Facts about own brands. Answers that state another value are listed for review.
	Facts List[Fact] `json:"facts,omitempty" schema:"maxItems=200"`
	// The prompts. A plain string is a prompt without tags.
	Prompts List[TrackedPrompt] `json:"prompts" schema:"minItems=1,maxItems=10000,short=text"`
	// The targets on which the prompts are asked.
	Targets List[Target] `json:"targets" schema:"minItems=1,maxItems=100"`
	// When sweeps are due. Without a schedule, sweeps are only started by hand.
	Schedule *Schedule `json:"schedule,omitempty"`
	// How often each prompt is asked on each target in a sweep.
	Samples int `json:"samples,omitempty" schema:"min=1,max=10,default=1"`
	// `never` asks only the first upstream of each provider, so that a series does not change its source: a prompt that this upstream cannot answer is missing. `allowed`, the default, asks the next upstream instead.
	Fallback string   `json:"fallback,omitempty" schema:"enum=allowed|never"`
	Ceiling  *Ceiling `json:"ceiling,omitempty"`
	// A model that is asked about new reviews; none by default.
	Judge *Judge `json:"judge,omitempty"`
	// How long answers are stored, in days, such as `400d`.
	Keep string `json:"keep,omitempty" schema:"days"`
	// How long numbers are kept, in days, at least as long as answers; 5 years by default. They outlive the answers, so that a year can be compared with the one before.
	KeepNumbers string       `json:"keepNumbers,omitempty" schema:"days"`
	Alerts      *AlertBudget `json:"alerts,omitempty"`
	// When and where a report is sent automatically.
	Reports *ReportPlan `json:"reports,omitempty"`
	// Which tables are written to the operator's folder or bucket.
	Exports *ExportPlan `json:"exports,omitempty"`
	// Where to send a webhook when a sweep ends or is skipped.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// Brand is a brand that a tracker looks for.
type Brand struct {
	Name string `json:"name" schema:"maxLength=200"`
	// Whether the brand is your own; the others are competitors.
	Own bool `json:"own,omitempty"`
	// How the name is found in a text.
	Match *NameMatch `json:"match,omitempty"`
	// Other names of the brand, including products. A plain string is a name without matching options.
	Aliases List[BrandName] `json:"aliases,omitempty" schema:"maxItems=100,short=name"`
	// The brand's websites.
	Domains List[string] `json:"domains,omitempty" schema:"maxItems=100,maxLength=253"`
}

// SourceType is the type of a site: a domain and all its subdomains.
type SourceType struct {
	Domain string `json:"domain" schema:"maxLength=253"`
	// The types `own` and `rival` cannot be set; they follow from the domains of brands.
	Type string `json:"type" schema:"enum=community|editorial|reference|government|shop|video|other"`
}

// BrandName is another name of a brand.
type BrandName struct {
	Name  string     `json:"name" schema:"maxLength=200"`
	Match *NameMatch `json:"match,omitempty"`
}

// NameMatch is how a name is found in a text.
type NameMatch struct {
	// `exact` for a name whose letter case matters, such as HP or ON.
	Case string `json:"case,omitempty" schema:"enum=exact"`
	// Whether spaces and hyphens in the name may be missing or exchanged.
	Joined bool `json:"joined,omitempty"`
	// Endings (`suffixes`) and beginnings (`prefixes`) that a word with the name may have.
	Suffixes List[string] `json:"suffixes,omitempty" schema:"maxItems=50,maxLength=50"`
	Prefixes List[string] `json:"prefixes,omitempty" schema:"maxItems=50,maxLength=50"`
	// At least one of these words must occur near the name.
	Near List[string] `json:"near,omitempty" schema:"maxItems=50,maxLength=100"`
	// How many words before and after the name count as near.
	Within int `json:"within,omitempty" schema:"min=1,max=100,default=8"`
	// Words and phrases that exclude a match.
	Not List[string] `json:"not,omitempty" schema:"maxItems=50,maxLength=200"`
}

// TrackedPrompt is a prompt of a tracker. A changed text is a new prompt with its own
// history.
type TrackedPrompt struct {
	Text string `json:"text" schema:"prompt"`
	// The language of the prompt, such as `en`; informational only.
	Language string       `json:"language,omitempty" schema:"language"`
	Tags     List[string] `json:"tags,omitempty" schema:"maxItems=20,maxLength=50"`
	// The weight of the prompt in metrics; greater than 0.
	Weight float64 `json:"weight,omitempty" schema:"min=0,max=1000,default=1"`
}

// Target is a provider and place where the prompts are asked.
type Target struct {
	Provider string `json:"provider" schema:"provider"`
	Country  string `json:"country" schema:"country"`
	State    string `json:"state,omitempty" schema:"state"`
	Device   Device `json:"device,omitempty"`
	// The interface language, if the provider accepts one.
	Language string `json:"language,omitempty" schema:"hl"`
	// Other fields of the provider's request. For a field that takes an object, `true` means an empty object.
	Options json.RawMessage `json:"options,omitempty" schema:"options"`
}

// Schedule is when sweeps are due, in local time. A time that occurs twice when daylight
// saving time ends counts once. A time that is skipped when daylight saving time begins
// becomes the next valid minute.
type Schedule struct {
	// `day`, `week`, `month`, or a number of hours such as `6h`, counted from midnight.
	Every string `json:"every,omitempty" schema:"every,unless=cron"`
	// The time of day, such as `06:00`.
	At string `json:"at,omitempty" schema:"clock"`
	// Only with `every: week`.
	Weekday string `json:"weekday,omitempty" schema:"enum=monday|tuesday|wednesday|thursday|friday|saturday|sunday"`
	// Only with `every: month`. In a shorter month, the last day of that month.
	MonthDay int `json:"monthDay,omitempty" schema:"min=1,max=31"`
	// A cron expression with five fields: minute, hour, day of the month, month, day of the week.
	Cron string `json:"cron,omitempty" schema:"maxLength=100,excludes=every|at|weekday|monthDay"`
	// An IANA time zone, such as `Europe/Berlin`; `UTC` by default.
	Timezone string `json:"timezone,omitempty" schema:"maxLength=64"`
	// The window over which the prompts of a sweep are spread, such as `4h` or `30m`. A sweep that cannot start within its window is missed.
	Within string `json:"within,omitempty" schema:"duration"`
}

// Ceiling is a limit on what a tracker may spend. A sweep that might exceed it is skipped.
type Ceiling struct {
	// The most credits in a calendar month of the schedule's time zone.
	CreditsPerMonth int `json:"creditsPerMonth" schema:"min=0,max=1000000000"`
}

// AlertBudget is the sensitivity of alerts, and the channels to which they are sent.
type AlertBudget struct {
	// How many false alarms per year to accept, over all series of the tracker. 0 turns off the detection of shifts.
	FalseAlarmsPerYear float64 `json:"falseAlarmsPerYear" schema:"min=0,max=365,default=1"`
	// Names of the organization's channels. Without channels, alerts are only listed.
	Channels List[string] `json:"channels,omitempty" schema:"maxItems=20,maxLength=100"`
}

// TrackerState is `active` while the tracker follows its schedule, and `paused` while it does not.
type TrackerState string

// The states.
const (
	TrackerActive TrackerState = "active"
	TrackerPaused TrackerState = "paused"
)

// Values lists the states.
func (TrackerState) Values() []TrackerState { return []TrackerState{TrackerActive, TrackerPaused} }

// Tracker is a tracker with its cost, schedule and last sweep.
type Tracker struct {
	Name string `json:"name"`
	// The name that people see: the title of the definition, or the name if it has none.
	Title string       `json:"title"`
	State TrackerState `json:"state"`
	// Whether the history was made up by `earshot tracker demo`.
	Demo bool `json:"demo"`
	// The version of the definition; every applied change adds 1.
	Version   int       `json:"version" schema:"min=1"`
	Prompts   int       `json:"prompts" schema:"min=0"`
	Targets   int       `json:"targets" schema:"min=0"`
	Brands    int       `json:"brands" schema:"min=0"`
	CreatedAt Timestamp `json:"createdAt"`
	UpdatedAt Timestamp `json:"updatedAt"`
	// The version of the definition and the state, for `If-Match`.
	ETag string `json:"etag"`
	// When the next sweep is due; `null` when none is due.
	NextSweepAt *Timestamp `json:"nextSweepAt"`
	// The next five scheduled sweeps; only when a single tracker is read, and absent when none is due.
	NextSlots []ComingSlot `json:"nextSlots,omitempty"`
	Cost      TrackerCost  `json:"cost"`
	// The last sweep; absent before the first.
	LastSweep *Sweep `json:"lastSweep,omitempty"`
	// How many alerts are not acknowledged; only in the list of trackers.
	OpenAlerts *int `json:"openAlerts,omitempty" schema:"min=0"`
	// `answered` ÷ `planned` of the last seven closed sweeps; only in the list of trackers, and absent before the first closed sweep.
	Coverage *float64 `json:"coverage,omitempty" schema:"min=0,max=1"`
	// The first own brand, or else the first brand, without its other names and domains; only in the list of trackers, and absent without brands.
	Lead *Brand `json:"lead,omitempty"`
	// Only when a single tracker is read and its definition has `reports`.
	Reports *ReportStatus `json:"reports,omitempty"`
	// Only when a single tracker is read and its definition has `exports`.
	Exports *ExportStatus `json:"exports,omitempty"`
	// Only when a single tracker is read.
	Definition *TrackerDefinition `json:"definition,omitempty"`
}

// Tag returns the version of the definition and the state.
func (t Tracker) Tag() string { return t.ETag }

// Tag returns the version of the definition and the state.
func (t TrackerApplied) Tag() string { return t.Tracker.ETag }

// TrackerCost is the maximum cost of a tracker, and what it spent this month.
type TrackerCost struct {
	// The most that a sweep can cost.
	Sweep int64 `json:"sweep" schema:"min=0"`
	// The most that the schedule can cost in a month of 31 days, ignoring the ceiling.
	Month int64 `json:"month" schema:"min=0"`
	// The monthly ceiling; `null` when there is no ceiling.
	Ceiling *int64 `json:"ceiling" schema:"min=0"`
	// Credits charged or still reserved for this month's sweeps.
	Committed int64 `json:"committed" schema:"min=0"`
}

// TrackerList is the trackers of an organization.
type TrackerList struct {
	Trackers List[Tracker] `json:"trackers"`
}

// TrackerQuery is the options for applying a definition.
type TrackerQuery struct {
	// Report the changes without applying them.
	DryRun bool `json:"dryRun,omitempty"`
}

// ComingSlot is the time of a future sweep.
type ComingSlot struct {
	// The local time, such as `2026-11-15T06:00 Europe/Berlin`.
	Slot  string    `json:"slot"`
	DueAt Timestamp `json:"dueAt"`
}

// TrackerApplied is the effect of a definition.
type TrackerApplied struct {
	Succeeded
	// Whether this was a dry run, so that nothing was stored.
	DryRun bool `json:"dryRun"`
	// Whether the definition differs from the stored one.
	Changed bool `json:"changed"`
	Created bool `json:"created"`
	// The changes, one entry each.
	Changes List[TrackerChange] `json:"changes"`
	// Problems that do not prevent the change, such as a ceiling that is lower than the monthly cost of the schedule.
	Warnings List[string] `json:"warnings"`
	// The series that break, and why.
	Breaks  List[SeriesBreak] `json:"breaks"`
	Tracker Tracker           `json:"tracker"`
	// The expected precision of the metrics.
	Precision Precision `json:"precision"`
}

// TrackerChange is one difference between two definitions.
type TrackerChange struct {
	// `added`, `removed` or `changed`.
	Kind string `json:"kind" schema:"enum=added|removed|changed"`
	// The part of the definition, such as `prompts` or `schedule`.
	Part string `json:"part"`
	// The prompt, target or brand, or the old and the new value.
	What string `json:"what"`
}

// SeriesBreak is a series whose future values cannot be compared with earlier ones.
type SeriesBreak struct {
	// A target, a brand, or `*` for all series.
	Series string `json:"series"`
	Reason string `json:"reason"`
}

// Precision is the smallest change of a rate that the metrics can detect, with 80 % power
// at the 5 % significance level.
type Precision struct {
	Prompts int `json:"prompts" schema:"min=0"`
	Samples int `json:"samples" schema:"min=1"`
	// How many sweeps are scheduled in 28 days.
	Sweeps int `json:"sweeps" schema:"min=0"`
	// The smallest detectable change between two periods of 28 days, as a share; `null` when there are too few sweeps.
	SmallestChange *float64 `json:"smallestChange"`
	// Whether the estimate is based on the variation of the tracker's own last sweeps (5 to 28 of them, by the visibility of its first own brand). Otherwise, it is based on the usual variation of answers.
	Measured bool `json:"measured"`
	// How many series are monitored for lasting shifts: visibility and citation rate of each brand on each target.
	Series int `json:"series" schema:"min=0"`
	// The threshold of the change detectors, computed from the number of series and `falseAlarmsPerYear`; `null` without brands.
	Threshold *float64 `json:"threshold"`
	// The share of lasting drops of 0.8 logits (such as from 40 % to 27 %) that a detector with this threshold finds within 14 sweeps, given 60 earlier sweeps; `null` without brands.
	FallsFound *float64 `json:"fallsFound" schema:"min=0,max=1"`
	// The smallest lasting drop from 50 % that a detector with this threshold finds within 28 days in 8 of 10 cases, as a share; `null` when it finds none or there are no brands.
	SmallestFall *float64 `json:"smallestFall" schema:"min=0,max=1"`
}

// TrackerPatch is a change of a tracker. A field that is left out keeps its value.
type TrackerPatch struct {
	State *TrackerState `json:"state,omitempty"`
}

// TrackerDeleted is the name of the deleted tracker.
type TrackerDeleted struct {
	Succeeded
	Name string `json:"name"`
}

// DemoRequest is the size of a demo's history.
type DemoRequest struct {
	// How many days up to now, with one sweep each.
	Days int `json:"days,omitempty" schema:"min=1,max=365,default=90"`
	// How many prompts each sweep asks.
	Prompts int `json:"prompts,omitempty" schema:"min=1,max=20,default=20"`
}

// DemoMade is a demo tracker with a made-up history.
type DemoMade struct {
	Succeeded
	Tracker Tracker `json:"tracker"`
	// How many sweeps there are, including missed and skipped ones.
	Sweeps  int `json:"sweeps" schema:"min=0"`
	Answers int `json:"answers" schema:"min=0"`
	// How many prompts have no answer.
	Missing int       `json:"missing" schema:"min=0"`
	Shift   DemoShift `json:"shift"`
}

// DemoShift is the change that the made-up history contains.
type DemoShift struct {
	// The first day of the change.
	Day   string `json:"day" schema:"date"`
	Brand string `json:"brand"`
	// The share of answers that name the brand, before and after the change.
	From float64 `json:"from" schema:"min=0,max=1"`
	To   float64 `json:"to" schema:"min=0,max=1"`
}
