package earshot

// MetricQuery is a choice of metrics of a tracker.
type MetricQuery struct {
	// Comma-separated names of metrics, such as `visibility,shareOfVoice`. A name with a version, such as `citationRate@m2`, selects that definition; without one, `citationRate` is `citationRate@m1`. By default, all metrics except the ones that are computed only when they are named: `stability.domains` and `stability.brands` (`stability` names both), `merchantShare`, `price` and `blockRate`.
	Metric string `json:"metric,omitempty" schema:"maxLength=500"`
	// The dimensions to group by, comma-separated: `brand`, `surface`, `target`, `provider`, `country`, `prompt`, `tag`, `sweep`, `day`, `week`, `month`. The default is `target`. Metrics of brands are always grouped by brand; `brand` alone groups by nothing else.
	By string `json:"by,omitempty" schema:"maxLength=200"`
	MetricFilter
	// With `sweep` in `by`: each row covers this many sweeps, up to and including the named sweep, but none before the last break. The moving average varies less than single sweeps.
	Last int `json:"last,omitempty" schema:"min=1,max=100,default=1"`
	// Only rows that match, such as `brand:Ollaro`. Unlike `filter`, this does not change the values.
	Having string `json:"having,omitempty" schema:"maxLength=2000"`
	// The maximum number of rows.
	Limit int `json:"limit,omitempty" schema:"min=1,max=20000"`
	// How many rows to skip.
	Offset int `json:"offset,omitempty" schema:"min=0,max=100000000"`
}

// MetricFilter is a filter of the answers that metrics are computed from.
type MetricFilter struct {
	// Only sweeps due at or after this time or day, by default the last 28 days up to `to`. Days are in the tracker's time zone.
	From string `json:"from,omitempty" schema:"moment"`
	// Only sweeps due before this time, or on or before this day; by default up to today.
	To string `json:"to,omitempty" schema:"moment"`
	// Only answers that match, such as `target:chatassistant/US,tag:trail`. Values of one dimension are alternatives. Prompts are given by text or number (`prompt:3`). The filter reduces the denominators; a filter by `brand` reduces the set of brands.
	Filter string `json:"filter,omitempty" schema:"maxLength=2000"`
	// Include prompts that contain the name of one of the tracker's brands.
	Branded bool `json:"branded,omitempty"`
	// Combine answers from websites, APIs and the lab. By default, they are kept apart.
	PoolSurfaces bool `json:"poolSurfaces,omitempty"`
}

// MetricReport are metrics of a tracker, computed from its closed sweeps.
type MetricReport struct {
	Tracker string `json:"tracker"`
	// The version of the tracker's brand names and of the code that finds them, such as `r14`.
	Rules string `json:"rules"`
	// How many closed sweeps the metrics are computed from.
	Sweeps int `json:"sweeps" schema:"min=0"`
	// Whether any of the answers was made up by the lab.
	MadeUp bool            `json:"madeUp"`
	Rows   List[MetricRow] `json:"rows"`
	// Sweeps from which on the metrics cannot be compared with earlier ones.
	Breaks List[MetricBreak] `json:"breaks"`
	// Whether more rows follow.
	More bool `json:"more"`
	// The differences between the newest repeated sweep and the sweep that it repeats, independent of the query; `null` when no sweep was repeated.
	Noise *NoiseReport `json:"noise"`
}

// NoiseReport is the difference between two sweeps that asked the same prompts at the same time: the normal variation of the metrics.
type NoiseReport struct {
	// The id of the repeated sweep.
	Sweep string `json:"sweep" schema:"uuid"`
	// The id of the original sweep.
	Repeats string `json:"repeats" schema:"uuid"`
	// One entry for each target and, with several targets, one for all targets together.
	Targets List[TargetNoise] `json:"targets"`
}

// TargetNoise is the difference between the two sweeps on one target, or on all targets together.
type TargetNoise struct {
	MetricLabels
	// How many prompt × target cells have answers in both sweeps. Prompts that contain a brand's name are left out.
	Cells int `json:"cells" schema:"min=0"`
	// The share of all pairs of cell and brand in which only one of the two sweeps names the brand; `null` without cells.
	Differs *float64 `json:"differs" schema:"min=0,max=1"`
	// The mean Jaccard distance, over cells, of the named brands; `null` when no brand is named.
	BrandDistance *float64 `json:"brandDistance" schema:"min=0,max=1"`
	// The mean Jaccard distance, over cells, of the cited domains; `null` when no domain is cited.
	DomainDistance *float64         `json:"domainDistance" schema:"min=0,max=1"`
	Brands         List[BrandNoise] `json:"brands"`
}

// BrandNoise is the difference between the two sweeps for one brand.
type BrandNoise struct {
	Brand string `json:"brand"`
	// The share of cells in which only one of the two sweeps names the brand.
	Differs float64 `json:"differs" schema:"min=0,max=1"`
	// The difference in the brand's visibility; `null` without cells.
	Visibility *float64 `json:"visibility" schema:"min=0,max=1"`
}

// MetricBreak is a sweep from which on the metrics cannot be compared with earlier ones.
type MetricBreak struct {
	// The first sweep after the break.
	Sweep string `json:"sweep" schema:"uuid"`
	// When this sweep was due.
	At Timestamp `json:"at"`
	// The affected target; absent when all targets are affected.
	Target string `json:"target,omitempty"`
	// The thing that changed: the model, the surface, the vendor that answers (`via`), the brands (`panel`), the prompts (`promptSet`), the location (`locale`), the code that parses answers (`parser`), or the share of answers that cannot be parsed (`parserHealth`) or are blocked (`blocked`).
	Kind   string `json:"kind" schema:"enum=model|surface|via|panel|promptSet|locale|parser|parserHealth|blocked"`
	Reason string `json:"reason"`
	// Whether the break still matters. A `panel` break does not, because earlier sweeps are analysed again with the new brands.
	Open bool `json:"open"`
}

// MetricLabels are the dimensions of a metric's row.
type MetricLabels struct {
	// `*` for several targets, `*web` or `*vendor:cloro` for the targets of one surface or vendor out of several.
	Target  string `json:"target"`
	Surface string `json:"surface,omitempty"`
	// The vendor that answered, such as `cloro`. Each vendor has its own rows, as each surface has; only where `surface` is given.
	Via      string `json:"via,omitempty"`
	Provider string `json:"provider,omitempty"`
	Country  string `json:"country,omitempty"`
	Prompt   string `json:"prompt,omitempty"`
	Tag      string `json:"tag,omitempty"`
}

// MetricRow is one value of a metric, with its sample size and confidence intervals.
type MetricRow struct {
	// The metric and the version of its definition, such as `visibility@m1`.
	Metric string `json:"metric"`
	// Absent when the metric is not about a brand.
	Brand string `json:"brand,omitempty"`
	MetricLabels
	// Only for `merchantShare`: the merchant, as `domain:` and its domain, or as `name:` and its name in lower case.
	Merchant string `json:"merchant,omitempty"`
	// Only for `price`: the product, as `id:` and its id, or as `title:` and its title in lower case; and the currency.
	Product  string `json:"product,omitempty"`
	Currency string `json:"currency,omitempty"`
	// Only for `blockRate`: the type of the block, such as `searchoverview`.
	Block string `json:"block,omitempty"`
	// The number of the prompt; only when grouped by prompt.
	PromptID int    `json:"promptId,omitempty" schema:"min=1"`
	Sweep    string `json:"sweep,omitempty"`
	Day      string `json:"day,omitempty"`
	Week     string `json:"week,omitempty"`
	Month    string `json:"month,omitempty"`
	// `null` when the value cannot be computed. For `position`, `listRank`, `rank`, `productRank` and `price`, the value is the median.
	Value *float64 `json:"value"`
	// Plain counts. The value equals their ratio only when all cells have the same number of answers and the same weight.
	Numerator   float64 `json:"numerator"`
	Denominator float64 `json:"denominator"`
	// How many answers count.
	Answers int `json:"answers" schema:"min=0"`
	// How many prompt × target cells have answers; only for rates.
	Cells *int `json:"cells,omitempty" schema:"min=0"`
	// How many sweeps have answers; only for rates.
	Sweeps *int `json:"sweeps,omitempty" schema:"min=0"`
	// How many planned answers are missing. They do not count in any rate.
	Missing int `json:"missing" schema:"min=0"`
	// `null` when there is no interval.
	Interval *Intervals `json:"interval"`
	// Whether there are fewer than 5 sweeps, so that the interval underestimates the variation between days.
	Provisional bool `json:"provisional"`
	// The lag-1 autocorrelation of the sweeps. Above 0.5, the `rerun` interval is too narrow.
	Lag1 *float64 `json:"lag1,omitempty"`
	// Only for `position`, `listRank` and `productRank`.
	Places *PlaceShares `json:"places,omitempty"`
	// Only for `rank`.
	Top *TopShares `json:"top,omitempty"`
	// Only for `stability.domains` and `stability.brands`: 1 − Bray–Curtis dissimilarity of the counts, while `value` is 1 − Jaccard distance. The denominator is the number of pairs of consecutive sweeps.
	Weighted *float64 `json:"weighted,omitempty" schema:"min=0,max=1"`
	// Only for `price`: the lowest price, and the prices of each sweep.
	Lowest *float64     `json:"lowest,omitempty"`
	Points []PricePoint `json:"points,omitempty"`
	// Only for `blockRate`: the median of the block's position, among pages that have the block.
	MedianPosition *float64 `json:"medianPosition,omitempty" schema:"min=0"`
	// How many answers are left out because they were requested without the data that the metric needs, such as Markdown for `listRank` and `support`.
	NotRequested int `json:"notRequested,omitempty" schema:"min=0"`
	// How many answers are left out because the provider or upstream does not return this data.
	NotOffered int `json:"notOffered,omitempty" schema:"min=0"`
	// Why the value is `null`, when all answers are left out.
	Reason string `json:"reason,omitempty" schema:"enum=notRequested|notOffered"`
	// Only for `organicVisibility`: how many answers are from a provider that does not mark sponsored text. When these are all answers, `note` is `paidNotMarked`, and the value equals `visibility`.
	NotMarked int    `json:"notMarked,omitempty" schema:"min=0"`
	Note      string `json:"note,omitempty" schema:"enum=paidNotMarked"`
	// The version of the tracker's rules.
	Rules string `json:"rules"`
	// Where the answers behind the value are listed, including missing ones and ones that are left out. With `last`, only the answers of the named sweep.
	AnswersURL string `json:"answersUrl"`
}

// Intervals are the two 95 % confidence intervals of a value, each as its lower and upper end.
type Intervals struct {
	// The interval for the same prompts, asked again; empty when it cannot be computed.
	Rerun List[float64] `json:"rerun"`
	// The interval for similar prompts; absent when there is only one prompt.
	Market []float64 `json:"market,omitempty"`
}

// PlaceShares are the shares of answers by the rank that they give to the brand, among answers that name the brand.
type PlaceShares struct {
	First      float64 `json:"first" schema:"min=0,max=1"`
	TwoToThree float64 `json:"twoToThree" schema:"min=0,max=1"`
	FourOrMore float64 `json:"fourOrMore" schema:"min=0,max=1"`
}

// TopShares are the shares of search pages on which the brand's domain is among the first results.
type TopShares struct {
	Top1  float64 `json:"top1" schema:"min=0,max=1"`
	Top3  float64 `json:"top3" schema:"min=0,max=1"`
	Top10 float64 `json:"top10" schema:"min=0,max=1"`
}

// CompareQuery is the two periods to compare.
type CompareQuery struct {
	// Comma-separated names of metrics; `visibility` by default.
	Metric string `json:"metric,omitempty" schema:"maxLength=500"`
	// The later period; the last 28 days by default.
	MetricFilter
	// The earlier period. By default, it is as long as the later period and ends right before it.
	BaselineFrom string `json:"baselineFrom,omitempty" schema:"moment"`
	BaselineTo   string `json:"baselineTo,omitempty" schema:"moment"`
	// Only rows that match, such as `brand:Ollaro`.
	Having string `json:"having,omitempty" schema:"maxLength=2000"`
	// `prompt` returns one row for each prompt instead of one for each target.
	By string `json:"by,omitempty" schema:"enum=prompt"`
	// `change` lists rows with the verdict `moved` first, and among rows with the same verdict the largest change.
	Sort string `json:"sort,omitempty" schema:"enum=change"`
	// How many rows to return; all by default.
	Limit int `json:"limit,omitempty" schema:"min=1,max=20000"`
	// How many rows to skip.
	Offset int `json:"offset,omitempty" schema:"min=0,max=100000000"`
}

// Verdict is the result of a comparison: `moved` if the change exceeds the variation of an identical rerun in 95 of 100 cases, `steady` if it does not, `tooEarly` if a period has fewer than 5 sweeps.
type Verdict string

// The verdicts.
const (
	VerdictMoved    Verdict = "moved"    // in 95 of 100 cases, an identical rerun would have differed less
	VerdictSteady   Verdict = "steady"   // an identical rerun may differ as much
	VerdictTooEarly Verdict = "tooEarly" // fewer than 5 sweeps in a period
)

// Values lists the verdicts.
func (Verdict) Values() []Verdict { return []Verdict{VerdictMoved, VerdictSteady, VerdictTooEarly} }

// CompareReport is the change of metrics between two periods, with a verdict on whether the change is noise.
type CompareReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether any of the answers was made up by the lab.
	MadeUp   bool   `json:"madeUp"`
	Baseline Period `json:"baseline"`
	Period   Period `json:"period"`
	// One row for each brand and target and, with several targets, one for all targets together. Metrics without a brand have one row for each target.
	Rows List[ComparedRow] `json:"rows"`
	// How many rows there are without `limit` and `offset` (`total`), and how many of them have the verdict `moved`.
	Total int `json:"total" schema:"min=0"`
	Moved int `json:"moved" schema:"min=0"`
	// How reliable the metrics of the later period are.
	Grades List[GradedCut] `json:"grades"`
	// Sweeps from which on the metrics cannot be compared with earlier ones.
	Breaks List[MetricBreak] `json:"breaks"`
}

// Period is a range of days in the tracker's time zone.
type Period struct {
	From string `json:"from"`
	// The last day, inclusive.
	To string `json:"to"`
	// How many closed sweeps are in the period.
	Sweeps int `json:"sweeps" schema:"min=0"`
}

// ComparedRow is one metric of one brand in the two periods.
type ComparedRow struct {
	Metric string `json:"metric"`
	// Empty when the metric is not about a brand.
	Brand string `json:"brand"`
	MetricLabels
	// The number of the prompt; only with `by=prompt`.
	PromptID int     `json:"promptId,omitempty" schema:"min=1"`
	Verdict  Verdict `json:"verdict"`
	// The verdict in a sentence.
	Summary string `json:"summary"`
	// The values of the two periods, over the cells that answered in at least three sweeps of each (in all, when a period has fewer); `null` without such cells.
	Before *float64 `json:"before"`
	After  *float64 `json:"after"`
	Change *float64 `json:"change"`
	// The 95 % confidence interval of the change; absent when a period has fewer than two sweeps.
	Interval []float64 `json:"interval,omitempty"`
	P        *float64  `json:"p"`
	// The smallest change that would have been detected in 80 of 100 cases.
	SmallestChange *float64 `json:"smallestChange"`
	// By how much the visibility of this brand on this target differed between the last repeated sweep and its original; `null` for other metrics, and when no sweep was repeated.
	NoiseFloor *float64 `json:"noiseFloor" schema:"min=0,max=1"`
	// How many prompt × target cells are compared (`cells`), and how many have answers but in too few sweeps (`cellsLeftOut`).
	Cells        int `json:"cells" schema:"min=0"`
	CellsLeftOut int `json:"cellsLeftOut" schema:"min=0"`
	// How often a compared cell has no answer in a sweep, in both periods.
	Gaps int `json:"gaps" schema:"min=0"`
	// The change of the plain means of all sweeps, which missing answers can move. With `note: adjusted` it differs from `change` by more than a point.
	PlainChange   *float64 `json:"plainChange"`
	Note          string   `json:"note,omitempty" schema:"enum=adjusted"`
	SweepsBefore  int      `json:"sweepsBefore" schema:"min=0"`
	SweepsAfter   int      `json:"sweepsAfter" schema:"min=0"`
	AnswersBefore int      `json:"answersBefore" schema:"min=0"`
	AnswersAfter  int      `json:"answersAfter" schema:"min=0"`
	// How many open breaks are within or between the periods. They may have caused the change.
	Breaks int `json:"breaks" schema:"min=0"`
}

// GradedCut is how reliable the metrics of some targets are, and why.
type GradedCut struct {
	MetricLabels
	// `decision-grade`, `directional` or `exploratory`, from the most to the least reliable.
	Grade    string                `json:"grade" schema:"enum=decision-grade|directional|exploratory"`
	Criteria List[GradedCriterion] `json:"criteria"`
}

// GradedCriterion is one criterion of a grade: the required and the actual value.
type GradedCriterion struct {
	Name string `json:"name"`
	// `null` when the value is unknown; then the criterion is not met.
	Value *float64 `json:"value"`
	// The value that `decision-grade` requires: a minimum, or a maximum for `smallestChange` and `openBreaks`.
	Decision float64 `json:"decision"`
	// Below this value, the metrics are `exploratory`.
	Exploratory float64 `json:"exploratory,omitempty"`
	Met         bool    `json:"met"`
}

// ReportQuery is the period and the format of a report.
type ReportQuery struct {
	// `html` (the default) is a self-contained page, `md` is Markdown.
	Format string `json:"format,omitempty" schema:"enum=html|md"`
	// The period begins with sweeps due at or after this time or day. The default period is the last 28 days.
	From string `json:"from,omitempty" schema:"moment"`
	// The period ends with sweeps due before this time, or on or before this day.
	To string `json:"to,omitempty" schema:"moment"`
	// The earlier period. By default, it is as long as the period and ends right before it.
	BaselineFrom string `json:"baselineFrom,omitempty" schema:"moment"`
	BaselineTo   string `json:"baselineTo,omitempty" schema:"moment"`
}

// SourceQuery is a choice of cited sources.
type SourceQuery struct {
	// Count citations by domain, by URL or by type of site.
	By string `json:"by,omitempty" schema:"enum=domain|url|type"`
	MetricFilter
	// How many sources to list; the most cited come first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=1000,default=100"`
	// Only sources on this brand's domains, and sources that are cited in sentences which name the brand.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// Compare with the period before, which is as long and ends right before `from`; needs `from`.
	Since bool `json:"since,omitempty"`
}

// SourceReport are the sources that the answers of a tracker cite.
type SourceReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether any of the answers was made up by the lab.
	MadeUp bool            `json:"madeUp"`
	Rows   List[SourceRow] `json:"rows"`
	// How often each listed source is cited in sentences that name each brand, over all targets; absent when citations are counted by type.
	Matrix *SourceMatrix `json:"matrix,omitempty"`
	// The period before; only with `since`.
	Baseline *Period `json:"baseline,omitempty"`
	// The sources of the period before that no answer of this period has, the most frequent first, at most `limit` for each target; only with `since`.
	Lost List[LostSource] `json:"lost,omitempty"`
}

// SourceRow is one source and its share of all citations.
type SourceRow struct {
	// Absent when citations are counted by type.
	Domain string `json:"domain,omitempty"`
	URL    string `json:"url,omitempty" schema:"uri"`
	// `own`, `rival`, `community`, `editorial`, `reference`, `government`, `shop`, `video` or `other`.
	Type string `json:"type"`
	// The brand of the tracker that owns the site.
	Brand string `json:"brand,omitempty"`
	MetricLabels
	// The mean over cells of the source's share of citations, weighted by prompt.
	Share *float64 `json:"share"`
	// How many citations the source has; each URL counts once per answer.
	Citations    int        `json:"citations" schema:"min=0"`
	AllCitations int        `json:"allCitations" schema:"min=0"`
	Answers      int        `json:"answers" schema:"min=0"`
	Interval     *Intervals `json:"interval"`
	Provisional  bool       `json:"provisional"`
	// The brands that are named in sentences which cite the source, in the order of the definition; only when counted by domain or URL.
	Backs List[BackedBrand] `json:"backs,omitempty"`
	// The answers that retrieved the source. A cited source counts as retrieved.
	Retrieved AnswerShare `json:"retrieved"`
	// The answers that cite the source: with a citation in the text or, where the provider reports none, among its sources and links.
	Cited AnswerShare `json:"cited"`
	// When the first and the last answer with the source were asked, within the period.
	FirstSeen *Timestamp `json:"firstSeen,omitempty"`
	LastSeen  *Timestamp `json:"lastSeen,omitempty"`
	// A recent answer that cites the source; absent when citations are counted by type, and when no answer cites it.
	Example *CitedExample `json:"example,omitempty"`
	// The change since the period before; only with `since`, and only if that period has sweeps.
	Since *SourceChange `json:"since,omitempty"`
}

// AnswerShare is the number of answers that have a property, among the answers that report it.
type AnswerShare struct {
	Answers int `json:"answers" schema:"min=0"`
	// How many answers report the property.
	Of int `json:"of" schema:"min=0"`
	// `null` when no answer reports it.
	Share *float64 `json:"share" schema:"min=0,max=1"`
	// How many further answers do not report it, because it was not requested or because the provider does not offer it.
	NotRequested int `json:"notRequested" schema:"min=0"`
	NotOffered   int `json:"notOffered" schema:"min=0"`
}

// CitedExample is an answer that cites a source.
type CitedExample struct {
	// The id of the answer.
	Answer string `json:"answer" schema:"uuid"`
	// The first sentence that cites the source, at most about 400 bytes; absent when the text of the answer does not show where it is cited.
	Sentence string `json:"sentence,omitempty"`
}

// SourceChange is the change of a source since the period before.
type SourceChange struct {
	// `gained` if no answer of the period before has the source, otherwise `kept`.
	State string `json:"state" schema:"enum=gained|kept"`
	// How many answers have the source: before and in this period.
	Before int `json:"before" schema:"min=0"`
	After  int `json:"after" schema:"min=0"`
}

// LostSource is a source that answers of the period before have and answers of this period do not.
type LostSource struct {
	Domain string `json:"domain,omitempty"`
	URL    string `json:"url,omitempty" schema:"uri"`
	Type   string `json:"type"`
	// The brand of the tracker that owns the site.
	Brand string `json:"brand,omitempty"`
	// The target, as in the rows.
	Target string `json:"target"`
	// How many answers of the period before have the source.
	Before int `json:"before" schema:"min=1"`
}

// SourceMatrix is how often sources are cited in sentences that name brands.
type SourceMatrix struct {
	// The brands, in the order of the definition.
	Brands List[string] `json:"brands"`
	// The sources, in the order of the rows.
	Rows List[SourceMatrixRow] `json:"rows"`
}

// SourceMatrixRow is one source.
type SourceMatrixRow struct {
	// The domain or URL.
	Source string `json:"source"`
	// The number of mentions of each brand.
	Mentions List[int] `json:"mentions"`
}

// BackedBrand is a brand that is named in sentences which cite a source.
type BackedBrand struct {
	Brand string `json:"brand"`
	// How often the brand is named in sentences that cite the source.
	Mentions int `json:"mentions" schema:"min=1"`
}

// RulesList is the versions of a tracker's rules. Rules are the names by which brands are found in answers.
type RulesList struct {
	// The version that the metrics use.
	Current string           `json:"current"`
	Rules   List[NamingRule] `json:"rules"`
}

// NamingRule is one version of a tracker's brand names and of the code that finds them.
type NamingRule struct {
	// The version, such as `r14`.
	Name string `json:"name"`
	// `current`, `pending` while stored answers are analysed with this version, or `old`.
	State  string      `json:"state" schema:"enum=current|pending|old"`
	Brands List[Brand] `json:"brands"`
	// The types of sites that the definition sets.
	Sources   []SourceType `json:"sources,omitempty"`
	CreatedAt Timestamp    `json:"createdAt"`
	// When all stored answers had been analysed; `null` until then.
	FinishedAt *Timestamp `json:"finishedAt"`
	// How many stored answers were analysed again (`analysed`), out of how many (`answers`).
	Analysed int `json:"analysed" schema:"min=0"`
	Answers  int `json:"answers" schema:"min=0"`
	// The changes for each brand when this version replaced the previous one; `null` for the first version, and until this version is current.
	Moved *List[MovedBrand] `json:"moved"`
}

// MovedBrand is the change of a brand's mentions that new rules caused, over all answers stored at that time.
type MovedBrand struct {
	// A renamed brand counts as a different brand.
	Brand string `json:"brand"`
	// How many answers name the brand by the old rules and by the new rules.
	AnswersBefore int `json:"answersBefore" schema:"min=0"`
	AnswersAfter  int `json:"answersAfter" schema:"min=0"`
	// How many answers name the brand only by the new rules (`gained`) or only by the old rules (`lost`).
	Gained int `json:"gained" schema:"min=0"`
	Lost   int `json:"lost" schema:"min=0"`
	// The share of all analysed answers that name the brand, over all prompts.
	VisibilityBefore float64 `json:"visibilityBefore" schema:"min=0,max=1"`
	VisibilityAfter  float64 `json:"visibilityAfter" schema:"min=0,max=1"`
}
