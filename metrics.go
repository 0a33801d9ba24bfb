package earshot

// MetricQuery says which numbers of a tracker are wanted.
type MetricQuery struct {
	// Names of metrics with commas between them, such as `visibility,shareOfVoice`; all unless given, but for `stability.domains` and `stability.brands` (`stability` for both), which are computed where they are named.
	Metric string `json:"metric,omitempty" schema:"maxLength=500"`
	// What the answers are divided by: `target` unless given, else of `brand`, `surface`, `target`, `provider`, `country`, `prompt`, `tag`, `sweep`, `day`, `week` and `month`, with commas between them. Metrics of brands are always by brand; `brand` alone divides by nothing else.
	By string `json:"by,omitempty" schema:"maxLength=200"`
	NumberFilter
	// With `sweep` in `by`: each row is of so many sweeps up to the one that it names, as far back as the last break. Their mean moves less than single sweeps do.
	Last int `json:"last,omitempty" schema:"min=1,max=100,default=1"`
	// Only the rows that match, as `brand:Ollaro`. Unlike `filter` it changes no number.
	Having string `json:"having,omitempty" schema:"maxLength=2000"`
	// At most so many rows, to read them a page at a time.
	Limit int `json:"limit,omitempty" schema:"min=1,max=20000"`
	// Rows to leave out at the beginning.
	Offset int `json:"offset,omitempty" schema:"min=0,max=100000000"`
}

// NumberFilter says which answers numbers are made of.
type NumberFilter struct {
	// Sweeps that were due at or after this time or day. Days are those of the tracker's time zone.
	From string `json:"from,omitempty" schema:"moment"`
	// Sweeps that were due before this time, or on or before this day.
	To string `json:"to,omitempty" schema:"moment"`
	// Only the answers that match, as `target:chatassistant/US,tag:trail`: values of one dimension are alternatives, and questions are given by their texts or numbers, `prompt:3`. It shrinks denominators; by `brand` it shrinks the panel.
	Filter string `json:"filter,omitempty" schema:"maxLength=2000"`
	// Let the questions count, too, that name a brand of the panel themselves.
	Branded bool `json:"branded,omitempty"`
	// Mix answers of web pages, APIs and the lab, which are kept apart otherwise.
	PoolSurfaces bool `json:"poolSurfaces,omitempty"`
}

// MetricReport are numbers of a tracker, made of its closed sweeps.
type MetricReport struct {
	Tracker string `json:"tracker"`
	// The version of the names and of the code that finds them, such as `r14`.
	Rules string `json:"rules"`
	// Closed sweeps that were looked at.
	Sweeps int `json:"sweeps" schema:"min=0"`
	// Whether any of the answers was made up by the lab.
	MadeUp bool            `json:"madeUp"`
	Rows   List[MetricRow] `json:"rows"`
	// From where on numbers are not of one kind with those before.
	Breaks List[NumberBreak] `json:"breaks"`
	// Whether there are rows after these.
	More bool `json:"more"`
	// How far the newest repeated sweep is from the one that it repeats, whatever the query picks; null until there is one.
	Noise *NoiseReport `json:"noise"`
}

// NoiseReport is how far two sweeps are apart that asked the same at once: as much as a number may differ by chance.
type NoiseReport struct {
	// The sweep that repeats another.
	Sweep string `json:"sweep" schema:"uuid"`
	// The one that it repeats.
	Repeats string `json:"repeats" schema:"uuid"`
	// All targets together, where there are several, and each of them.
	Targets List[TargetNoise] `json:"targets"`
}

// TargetNoise is that of a target, or of all together.
type TargetNoise struct {
	NumberLabels
	// Pairs of a question that names no brand and a target with answers in both sweeps.
	Cells int `json:"cells" schema:"min=0"`
	// The share of cells and brands of which one sweep names the brand and the other does not; null without cells.
	Differs *float64 `json:"differs" schema:"min=0,max=1"`
	// Mean Jaccard distance, over cells, of the brands that are named; null where none are.
	BrandDistance *float64 `json:"brandDistance" schema:"min=0,max=1"`
	// The same of the domains that are cited.
	DomainDistance *float64         `json:"domainDistance" schema:"min=0,max=1"`
	Brands         List[BrandNoise] `json:"brands"`
}

// BrandNoise is that of a brand.
type BrandNoise struct {
	Brand string `json:"brand"`
	// The share of cells of which only one sweep names it.
	Differs float64 `json:"differs" schema:"min=0,max=1"`
	// By how much its visibility differs; null without cells.
	Visibility *float64 `json:"visibility" schema:"min=0,max=1"`
}

// NumberBreak is a sweep from which on numbers are not of one kind with those before.
type NumberBreak struct {
	// The first sweep after it.
	Sweep string `json:"sweep" schema:"uuid"`
	// When that was due.
	At Timestamp `json:"at"`
	// Absent where all targets are touched.
	Target string `json:"target,omitempty"`
	// What is another: the model, the surface, the panel of brands, the questions, where is asked, the code that reads
	// answers; or how many answers cannot be read or are blocked.
	Kind   string `json:"kind" schema:"enum=model|surface|panel|promptSet|locale|parser|parserHealth|blocked"`
	Reason string `json:"reason"`
	// Not of a panel: sweeps before are analysed again by the new one.
	Open bool `json:"open"`
}

// NumberLabels say which part of the answers a number is about.
type NumberLabels struct {
	// `*` for several, `*web` for those of one surface of several.
	Target   string `json:"target"`
	Surface  string `json:"surface,omitempty"`
	Provider string `json:"provider,omitempty"`
	Country  string `json:"country,omitempty"`
	Prompt   string `json:"prompt,omitempty"`
	Tag      string `json:"tag,omitempty"`
}

// MetricRow is one number with all that says how far it can be trusted.
type MetricRow struct {
	// With the version of its definition, such as `visibility@m1`.
	Metric string `json:"metric"`
	// Absent where the metric is of no brand.
	Brand string `json:"brand,omitempty"`
	NumberLabels
	// The number of the question, where rows are by question.
	PromptID int    `json:"promptId,omitempty" schema:"min=1"`
	Sweep    string `json:"sweep,omitempty"`
	Day      string `json:"day,omitempty"`
	Week     string `json:"week,omitempty"`
	Month    string `json:"month,omitempty"`
	// Null where it cannot be told. Of `position`, `listRank` and `rank` it is the median.
	Value *float64 `json:"value"`
	// Plain counts: the value is their ratio only where all cells have as many answers and the same weight.
	Numerator   float64 `json:"numerator"`
	Denominator float64 `json:"denominator"`
	// Answers that count.
	Answers int `json:"answers" schema:"min=0"`
	// Pairs of a question and a target with answers, of rates only.
	Cells *int `json:"cells,omitempty" schema:"min=0"`
	// Sweeps with answers, of rates only.
	Sweeps *int `json:"sweeps,omitempty" schema:"min=0"`
	// Answers that were planned and are not there; they count in no rate.
	Missing int `json:"missing" schema:"min=0"`
	// Null where there is none.
	Interval *Intervals `json:"interval"`
	// Fewer than 5 sweeps: the interval is too narrow for what days differ.
	Provisional bool `json:"provisional"`
	// Correlation of neighbouring sweeps; above 0.5 the rerun interval is too narrow.
	Lag1 *float64 `json:"lag1,omitempty"`
	// Of `position` and `listRank`.
	Places *PlaceShares `json:"places,omitempty"`
	// Of `rank`.
	Top *TopShares `json:"top,omitempty"`
	// Of `stability.domains` and `stability.brands`: 1 − Bray–Curtis of counts, beside the value, 1 − Jaccard. Their denominator is the number of pairs of neighbouring sweeps.
	Weighted *float64 `json:"weighted,omitempty" schema:"min=0,max=1"`
	// Of `listRank` and `support`: answers that are left out because they were asked without Markdown.
	NotRequested int `json:"notRequested,omitempty" schema:"min=0"`
	// Why the value is null: `notRequested` where all answers were asked without what the metric reads.
	Reason string `json:"reason,omitempty" schema:"enum=notRequested"`
	// Version of the names that were looked for.
	Rules string `json:"rules"`
	// Where the answers behind the number are listed; with `last`, those of the sweep that it names.
	AnswersURL string `json:"answersUrl"`
}

// Intervals are the two 95 % intervals of a number, each as its two ends.
type Intervals struct {
	// For these questions, asked again.
	Rerun List[float64] `json:"rerun"`
	// For questions like these; absent with a single question.
	Market []float64 `json:"market,omitempty"`
}

// PlaceShares say where a brand stands in the answers that name it.
type PlaceShares struct {
	First      float64 `json:"first" schema:"min=0,max=1"`
	TwoToThree float64 `json:"twoToThree" schema:"min=0,max=1"`
	FourOrMore float64 `json:"fourOrMore" schema:"min=0,max=1"`
}

// TopShares say on how many search pages a brand's domain is among the first results.
type TopShares struct {
	Top1  float64 `json:"top1" schema:"min=0,max=1"`
	Top3  float64 `json:"top3" schema:"min=0,max=1"`
	Top10 float64 `json:"top10" schema:"min=0,max=1"`
}

// CompareQuery says which two periods to compare.
type CompareQuery struct {
	// `visibility` unless given, else names of metrics with commas between them.
	Metric string `json:"metric,omitempty" schema:"maxLength=500"`
	// The later period; the last 28 days unless given.
	NumberFilter
	// The period before, of the same length and right before it unless given.
	BaselineFrom string `json:"baselineFrom,omitempty" schema:"moment"`
	BaselineTo   string `json:"baselineTo,omitempty" schema:"moment"`
	// Only the rows that match, as `brand:Ollaro`.
	Having string `json:"having,omitempty" schema:"maxLength=2000"`
	// `prompt` gives a row for each question in the place of those by target.
	By string `json:"by,omitempty" schema:"enum=prompt"`
}

// Verdict is what a comparison of two periods found.
type Verdict string

// The verdicts.
const (
	VerdictMoved    Verdict = "moved"    // an identical rerun would have shown less in 95 of 100 cases
	VerdictSteady   Verdict = "steady"   // no more than a rerun would show
	VerdictTooEarly Verdict = "tooEarly" // fewer than 5 sweeps in a period
)

// Values lists the verdicts.
func (Verdict) Values() []Verdict { return []Verdict{VerdictMoved, VerdictSteady, VerdictTooEarly} }

// CompareReport tells what changed between two periods, and whether that is noise.
type CompareReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether any of the answers was made up by the lab.
	MadeUp   bool   `json:"madeUp"`
	Baseline Period `json:"baseline"`
	Period   Period `json:"period"`
	// For each brand: all targets together, where there are several, and each of them.
	Rows List[ComparedRow] `json:"rows"`
	// What the numbers of the later period are good for.
	Grades List[GradedCut] `json:"grades"`
	// From where on numbers are not of one kind with those before.
	Breaks List[NumberBreak] `json:"breaks"`
}

// Period is a range of days in the tracker's time zone.
type Period struct {
	From string `json:"from"`
	// Included.
	To string `json:"to"`
	// Closed sweeps in it.
	Sweeps int `json:"sweeps" schema:"min=0"`
}

// ComparedRow is one metric of one brand in two periods.
type ComparedRow struct {
	Metric string `json:"metric"`
	Brand  string `json:"brand"`
	NumberLabels
	// The number of the question, where rows are by question.
	PromptID int     `json:"promptId,omitempty" schema:"min=1"`
	Verdict  Verdict `json:"verdict"`
	// The verdict in a sentence.
	Summary string `json:"summary"`
	// Means of the sweeps of the two periods, over the cells that both have; null without any.
	Before *float64 `json:"before"`
	After  *float64 `json:"after"`
	Change *float64 `json:"change"`
	// Of the change, 95 %; absent below two sweeps a period.
	Interval []float64 `json:"interval,omitempty"`
	P        *float64  `json:"p"`
	// The smallest change that would have been seen in 80 of 100 cases.
	SmallestChange *float64 `json:"smallestChange"`
	// By how much the visibility of that brand and target differed when a sweep was repeated at once, the last time; null of other metrics, and until that was done.
	NoiseFloor *float64 `json:"noiseFloor" schema:"min=0,max=1"`
	// Pairs of a question and a target with answers in both periods, and in only one, which are left out.
	Cells         int `json:"cells" schema:"min=0"`
	CellsLeftOut  int `json:"cellsLeftOut" schema:"min=0"`
	SweepsBefore  int `json:"sweepsBefore" schema:"min=0"`
	SweepsAfter   int `json:"sweepsAfter" schema:"min=0"`
	AnswersBefore int `json:"answersBefore" schema:"min=0"`
	AnswersAfter  int `json:"answersAfter" schema:"min=0"`
	// Open breaks within or between the periods: the change may come from them.
	Breaks int `json:"breaks" schema:"min=0"`
}

// GradedCut says what the numbers of some targets are good for, and why.
type GradedCut struct {
	NumberLabels
	// `decision-grade`, `directional` or `exploratory`.
	Grade    string                `json:"grade" schema:"enum=decision-grade|directional|exploratory"`
	Criteria List[GradedCriterion] `json:"criteria"`
}

// GradedCriterion is one line of a grade: what was asked for and what there is.
type GradedCriterion struct {
	Name string `json:"name"`
	// Null when it cannot be told, which does not pass.
	Value *float64 `json:"value"`
	// What a decision needs: at least, or of `smallestChange` and `openBreaks` at most.
	Decision float64 `json:"decision"`
	// A value below makes the numbers exploratory.
	Exploratory float64 `json:"exploratory,omitempty"`
	Met         bool    `json:"met"`
}

// ReportQuery says what a report is of, and as what it is written.
type ReportQuery struct {
	// `html`, a page that stands alone, which is what you get unless you ask for Markdown.
	Format string `json:"format,omitempty" schema:"enum=html|md"`
	// The period, the last 28 days unless given: sweeps that were due at or after this time or day.
	From string `json:"from,omitempty" schema:"moment"`
	// Sweeps that were due before this time, or on or before this day.
	To string `json:"to,omitempty" schema:"moment"`
	// The period before, of the same length and right before it unless given.
	BaselineFrom string `json:"baselineFrom,omitempty" schema:"moment"`
	BaselineTo   string `json:"baselineTo,omitempty" schema:"moment"`
}

// SourceQuery says which cited sources are wanted.
type SourceQuery struct {
	// What citations are counted by.
	By string `json:"by,omitempty" schema:"enum=domain|url|type"`
	NumberFilter
	// How many, those with the most citations first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=1000,default=100"`
}

// SourceReport are the sources that the answers of a tracker cite.
type SourceReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether any of the answers was made up by the lab.
	MadeUp bool            `json:"madeUp"`
	Rows   List[SourceRow] `json:"rows"`
}

// SourceRow is what one source has of all citations.
type SourceRow struct {
	// Absent where citations are counted by type.
	Domain string `json:"domain,omitempty"`
	URL    string `json:"url,omitempty" schema:"uri"`
	// `own`, `rival`, `community`, `editorial`, `reference`, `government`, `shop`, `video` or `other`.
	Type string `json:"type"`
	// The brand of the panel whose site it is.
	Brand string `json:"brand,omitempty"`
	NumberLabels
	// citationShare: the mean over cells, by the weights of their questions.
	Share *float64 `json:"share"`
	// Each URL once an answer.
	Citations    int        `json:"citations" schema:"min=0"`
	AllCitations int        `json:"allCitations" schema:"min=0"`
	Answers      int        `json:"answers" schema:"min=0"`
	Interval     *Intervals `json:"interval"`
	Provisional  bool       `json:"provisional"`
	// The brands of the panel whose names stand in sentences that cite it, in the panel's order; of domains and URLs.
	Backs List[BackedBrand] `json:"backs,omitempty"`
}

// BackedBrand is a brand that a source backs.
type BackedBrand struct {
	Brand string `json:"brand"`
	// Mentions of it in sentences that cite the source.
	Mentions int `json:"mentions" schema:"min=1"`
}

// RulesList are the rules by which brands are found in the answers of a tracker.
type RulesList struct {
	// Those that numbers are read by.
	Current string           `json:"current"`
	Rules   List[NamingRule] `json:"rules"`
}

// NamingRule is a version of the names of a tracker and of the code that finds them.
type NamingRule struct {
	// Such as `r14`.
	Name string `json:"name"`
	// `current`, `pending` while kept answers are analysed by them, or `old`.
	State  string      `json:"state" schema:"enum=current|pending|old"`
	Brands List[Brand] `json:"brands"`
	// Types of sites that the definition sets.
	Sources   []SourceType `json:"sources,omitempty"`
	CreatedAt Timestamp    `json:"createdAt"`
	// When all kept answers were analysed; null until then.
	FinishedAt *Timestamp `json:"finishedAt"`
	// Answers that were analysed after the fact, and those that are kept.
	Analysed int `json:"analysed" schema:"min=0"`
	Answers  int `json:"answers" schema:"min=0"`
	// What became another when they took the place of those before, for each brand of either; null where there were none, and until they take over.
	Moved *List[MovedBrand] `json:"moved"`
}

// MovedBrand is what new rules changed for a brand, over all answers that were kept when they took over.
type MovedBrand struct {
	// A brand with another name is another brand.
	Brand string `json:"brand"`
	// Answers that name it by the rules before, and by the new ones.
	AnswersBefore int `json:"answersBefore" schema:"min=0"`
	AnswersAfter  int `json:"answersAfter" schema:"min=0"`
	// Answers that name it by the new rules only, and by those before only.
	Gained int `json:"gained" schema:"min=0"`
	Lost   int `json:"lost" schema:"min=0"`
	// Their share of all answers that were looked at, whatever the question.
	VisibilityBefore float64 `json:"visibilityBefore" schema:"min=0,max=1"`
	VisibilityAfter  float64 `json:"visibilityAfter" schema:"min=0,max=1"`
}

// Reanalysis has all kept answers analysed again.
type Reanalysis struct {
	Succeeded
	Rules NamingRule `json:"rules"`
}
