package earshot

import "encoding/json"

// TrackerDefinition says what a tracker asks, where, how often and of whom it keeps
// count. It is written as a file, in JSON or YAML, and changed only as a whole.
type TrackerDefinition struct {
	// The tracker's name. It may be left out; when it is there it is the one in the path.
	Name string `json:"name,omitempty" schema:"trackerName"`
	// What may be said of the answers: the panel of brands that are looked for.
	Brands List[Brand] `json:"brands,omitempty" schema:"maxItems=500"`
	// Types of sites, where you know better than the table of well-known ones. The longest domain decides.
	Sources List[SourceType] `json:"sources,omitempty" schema:"maxItems=1000"`
	// The questions. A text alone is a question without tags.
	Prompts List[TrackedPrompt] `json:"prompts" schema:"minItems=1,maxItems=10000,short=text"`
	// Where and how they are asked.
	Targets List[Target] `json:"targets" schema:"minItems=1,maxItems=100"`
	// When; without one sweeps are only run by hand.
	Schedule *Schedule `json:"schedule,omitempty"`
	// How often each question is asked on each target in a sweep.
	Samples int      `json:"samples,omitempty" schema:"min=1,max=10,default=1"`
	Ceiling *Ceiling `json:"ceiling,omitempty"`
	// How long answers are kept, in days.
	Keep   string       `json:"keep,omitempty" schema:"days"`
	Alerts *AlertBudget `json:"alerts,omitempty"`
	// When its report is sent by itself.
	Reports *ReportPlan `json:"reports,omitempty"`
	// What of it is written to the operator's folder or bucket.
	Exports *ExportPlan `json:"exports,omitempty"`
	// Where to tell that a sweep has ended or was skipped.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// Brand is a member of a tracker's panel.
type Brand struct {
	Name string `json:"name" schema:"maxLength=200"`
	// Whether it is one's own; the others are rivals.
	Own bool `json:"own,omitempty"`
	// How the name is found in a text.
	Match *NameMatch `json:"match,omitempty"`
	// Other names of it, products too. A text alone is a name without switches.
	Aliases List[BrandName] `json:"aliases,omitempty" schema:"maxItems=100,short=name"`
	// Its web sites.
	Domains List[string] `json:"domains,omitempty" schema:"maxItems=100,maxLength=253"`
}

// SourceType says what kind of site a domain is, with all hosts below it.
type SourceType struct {
	Domain string `json:"domain" schema:"maxLength=253"`
	// `own` and `rival` follow from the domains of brands.
	Type string `json:"type" schema:"enum=community|editorial|reference|government|shop|video|other"`
}

// BrandName is another name of a brand.
type BrandName struct {
	Name  string     `json:"name" schema:"maxLength=200"`
	Match *NameMatch `json:"match,omitempty"`
}

// NameMatch says how a name is found in a text.
type NameMatch struct {
	// `exact` for a name whose letter case matters, such as HP or ON.
	Case string `json:"case,omitempty" schema:"enum=exact"`
	// Whether spaces and hyphens in the name may be missing or others.
	Joined bool `json:"joined,omitempty"`
	// What may stand between the name and the boundary of a word.
	Suffixes List[string] `json:"suffixes,omitempty" schema:"maxItems=50,maxLength=50"`
	Prefixes List[string] `json:"prefixes,omitempty" schema:"maxItems=50,maxLength=50"`
	// Words of which one must stand nearby.
	Near List[string] `json:"near,omitempty" schema:"maxItems=50,maxLength=100"`
	// How many words around the name are nearby.
	Within int `json:"within,omitempty" schema:"min=1,max=100,default=8"`
	// Words and phrases that rule the name out.
	Not List[string] `json:"not,omitempty" schema:"maxItems=50,maxLength=200"`
}

// TrackedPrompt is a question of a tracker. Another text is another question, with a
// history of its own.
type TrackedPrompt struct {
	Text string `json:"text" schema:"prompt"`
	// Its language, such as `en`; for your own order.
	Language string       `json:"language,omitempty" schema:"language"`
	Tags     List[string] `json:"tags,omitempty" schema:"maxItems=20,maxLength=50"`
	// How much it counts among the others; above 0.
	Weight float64 `json:"weight,omitempty" schema:"min=0,max=1000,default=1"`
}

// Target is where and how the questions are asked.
type Target struct {
	Provider string `json:"provider" schema:"provider"`
	Country  string `json:"country" schema:"country"`
	State    string `json:"state,omitempty" schema:"state"`
	Device   Device `json:"device,omitempty"`
	// The interface language, where the provider takes one.
	Language string `json:"language,omitempty" schema:"hl"`
	// Other fields of the provider's request. Where that takes an object, `true` stands for an empty one.
	Options json.RawMessage `json:"options,omitempty" schema:"options"`
}

// Schedule says when sweeps are due: at civil times of a time zone. An hour that comes
// twice, when daylight saving ends, counts once; a time that does not exist, when it
// begins, is the next minute that does.
type Schedule struct {
	// `day`, `week`, `month` or a number of hours such as `6h`, which are counted from midnight.
	Every string `json:"every,omitempty" schema:"every,unless=cron"`
	// The time of day, as `06:00`.
	At string `json:"at,omitempty" schema:"clock"`
	// With `week`.
	Weekday string `json:"weekday,omitempty" schema:"enum=monday|tuesday|wednesday|thursday|friday|saturday|sunday"`
	// With `month`; in a month that has fewer days, its last.
	MonthDay int `json:"monthDay,omitempty" schema:"min=1,max=31"`
	// Five fields as of cron: minute, hour, day of the month, month, day of the week.
	Cron string `json:"cron,omitempty" schema:"maxLength=100,excludes=every|at|weekday|monthDay"`
	// A name of the IANA database, such as `Europe/Berlin`; `UTC` unless given.
	Timezone string `json:"timezone,omitempty" schema:"maxLength=64"`
	// The window over which the questions are spread, such as `4h` or `30m`. A sweep that could not start within it is missed.
	Within string `json:"within,omitempty" schema:"duration"`
}

// Ceiling bounds what a tracker may spend. A sweep that might pass it is skipped.
type Ceiling struct {
	// In a calendar month of the schedule's time zone.
	CreditsPerMonth int `json:"creditsPerMonth" schema:"min=0,max=1000000000"`
}

// AlertBudget is how many false alarms one is ready to see, and where alerts are sent.
type AlertBudget struct {
	// Over all series of the tracker; 0 looks for no shifts.
	FalseAlarmsPerYear float64 `json:"falseAlarmsPerYear" schema:"min=0,max=365,default=1"`
	// Names of channels of the organization. Without any, alerts are only listed.
	Channels List[string] `json:"channels,omitempty" schema:"maxItems=20,maxLength=100"`
}

// TrackerState is whether a tracker follows its schedule.
type TrackerState string

// The states.
const (
	TrackerActive TrackerState = "active"
	TrackerPaused TrackerState = "paused"
)

// Values lists the states.
func (TrackerState) Values() []TrackerState { return []TrackerState{TrackerActive, TrackerPaused} }

// Tracker is a tracker as it stands.
type Tracker struct {
	Name  string       `json:"name"`
	State TrackerState `json:"state"`
	// Whether its history was made up by `earshot tracker demo`.
	Demo bool `json:"demo"`
	// Counts the definitions that were applied.
	Version   int       `json:"version" schema:"min=1"`
	Prompts   int       `json:"prompts" schema:"min=0"`
	Targets   int       `json:"targets" schema:"min=0"`
	Brands    int       `json:"brands" schema:"min=0"`
	CreatedAt Timestamp `json:"createdAt"`
	UpdatedAt Timestamp `json:"updatedAt"`
	// When the next sweep is due; null when none is.
	NextSweepAt *Timestamp `json:"nextSweepAt"`
	// The slots of the next five sweeps by the schedule, where one tracker is shown; absent when none is due.
	NextSlots []ComingSlot `json:"nextSlots,omitempty"`
	Cost      TrackerCost  `json:"cost"`
	// The last sweep; absent before the first.
	LastSweep *Sweep `json:"lastSweep,omitempty"`
	// Where its definition has `reports`, and one tracker is shown.
	Reports *ReportStatus `json:"reports,omitempty"`
	// Where its definition has `exports`, and one tracker is shown.
	Exports *ExportStatus `json:"exports,omitempty"`
	// Only where one tracker is shown.
	Definition *TrackerDefinition `json:"definition,omitempty"`
}

// TrackerCost is the most that a tracker can cost, and what it spent.
type TrackerCost struct {
	// The most that a sweep can cost.
	Sweep int64 `json:"sweep" schema:"min=0"`
	// The most that a month of 31 days can cost by the schedule, before the ceiling.
	Month int64 `json:"month" schema:"min=0"`
	// The ceiling; null when there is none.
	Ceiling *int64 `json:"ceiling" schema:"min=0"`
	// Charged or still reserved by sweeps of this month.
	Committed int64 `json:"committed" schema:"min=0"`
}

// TrackerList is all trackers of an organization.
type TrackerList struct {
	Trackers List[Tracker] `json:"trackers"`
}

// TrackerQuery is what can be said of a definition that is applied.
type TrackerQuery struct {
	// Only tell what would change.
	DryRun bool `json:"dryRun,omitempty"`
}

// ComingSlot is a slot for which a sweep will be due.
type ComingSlot struct {
	// As a clock on the wall there shows it, such as `2026-11-15T06:00 Europe/Berlin`.
	Slot  string    `json:"slot"`
	DueAt Timestamp `json:"dueAt"`
}

// TrackerApplied tells what a definition changes.
type TrackerApplied struct {
	Succeeded
	// Whether it stopped there.
	DryRun bool `json:"dryRun"`
	// Whether anything changed.
	Changed bool `json:"changed"`
	Created bool `json:"created"`
	// What changed, one line each.
	Changes List[TrackerChange] `json:"changes"`
	// What is applied all the same, such as a ceiling that is lower than what a month by the schedule can cost.
	Warnings List[string] `json:"warnings"`
	// Which series break, and why.
	Breaks  List[SeriesBreak] `json:"breaks"`
	Tracker Tracker           `json:"tracker"`
	// How precise the numbers will be.
	Precision Precision `json:"precision"`
}

// TrackerChange is one difference between two definitions.
type TrackerChange struct {
	// `added`, `removed` or `changed`.
	Kind string `json:"kind" schema:"enum=added|removed|changed"`
	// The part of the definition, such as `prompts` or `schedule`.
	Part string `json:"part"`
	// What it is: the prompt, the target, the brand, or the value before and after.
	What string `json:"what"`
}

// SeriesBreak is a point from which on numbers cannot be compared with those before.
type SeriesBreak struct {
	// What is touched: a target, a brand, or `*` for all.
	Series string `json:"series"`
	Reason string `json:"reason"`
}

// Precision is how small a change of a rate the numbers will show, with the usual spread
// of answers: with 80 % power at the 5 % level.
type Precision struct {
	Prompts int `json:"prompts" schema:"min=0"`
	Samples int `json:"samples" schema:"min=1"`
	// Sweeps in 28 days by the schedule.
	Sweeps int `json:"sweeps" schema:"min=0"`
	// The smallest change between two spans of 28 days, as a share; null when there are too few sweeps to tell.
	SmallestChange *float64 `json:"smallestChange"`
	// Whether it follows from how the answers of the tracker's own last sweeps differ (28 at most, from 5 on), by the visibility of its first own brand. Otherwise it follows from how answers usually differ.
	Measured bool `json:"measured"`
	// Series that are watched for lasting shifts: visibility and citation rate of each brand on each target.
	Series int `json:"series" schema:"min=0"`
	// The threshold of the change detectors, from the number of series and the budget of false alarms; null without brands.
	Threshold *float64 `json:"threshold"`
	// The share of lasting falls of 0.8 logits, as from 40 to 27 %, that the detector of a series finds within 14 sweeps at that threshold, once 60 sweeps are there; null without brands.
	FallsFound *float64 `json:"fallsFound" schema:"min=0,max=1"`
}

// TrackerPatch pauses a tracker or lets it go on.
type TrackerPatch struct {
	State TrackerState `json:"state"`
}

// TrackerDeleted is a tracker that was deleted, with its answers.
type TrackerDeleted struct {
	Succeeded
	Name string `json:"name"`
}

// DemoRequest says how much history a demo has.
type DemoRequest struct {
	// How many days, with one sweep each, up to now.
	Days int `json:"days,omitempty" schema:"min=1,max=365,default=90"`
	// How many questions are asked in each sweep.
	Prompts int `json:"prompts,omitempty" schema:"min=1,max=20,default=20"`
}

// DemoMade is a tracker whose history was made up.
type DemoMade struct {
	Succeeded
	Tracker Tracker `json:"tracker"`
	// Sweeps, those that were missed or skipped among them.
	Sweeps  int `json:"sweeps" schema:"min=0"`
	Answers int `json:"answers" schema:"min=0"`
	// Questions without an answer.
	Missing int       `json:"missing" schema:"min=0"`
	Shift   DemoShift `json:"shift"`
}

// DemoShift is what changed in the made-up history, for one to find.
type DemoShift struct {
	// From this day on.
	Day   string `json:"day" schema:"date"`
	Brand string `json:"brand"`
	// The share of answers that name the brand, before and after.
	From float64 `json:"from" schema:"min=0,max=1"`
	To   float64 `json:"to" schema:"min=0,max=1"`
}
