package earshot

// AgreementQuery is the time range of a report on agreement.
type AgreementQuery struct {
	// How many days up to now.
	Days int `json:"days,omitempty" schema:"min=1,max=400,default=30"`
}

// Agreement is how much the answers of upstreams agree. The operator has a share of your
// organization's answered requests asked a second time through another upstream.
type Agreement struct {
	// Sorted by provider, country and upstreams.
	Groups List[AgreementGroup] `json:"groups"`
}

// AgreementGroup compares the answers of one upstream with the answers of another one.
type AgreementGroup struct {
	Provider string `json:"provider" schema:"provider"`
	Country  string `json:"country"`
	// The upstream whose answers your organization got, such as `via:cloro`.
	First string `json:"first"`
	// The upstream that was asked for comparison. The same as `first` if only `within` is known.
	Second string `json:"second"`
	// How much the two upstreams agree. `null` without pairs.
	Between *AgreementFigures `json:"between"`
	// How much `first` agrees with itself when it is asked twice: answers vary. Compare `between` with it. `null` without pairs.
	Within *AgreementFigures `json:"within"`
}

// AgreementFigures summarizes pairs of answers to the same request.
type AgreementFigures struct {
	// How many times the request was repeated, answered or failed.
	Pairs int `json:"pairs" schema:"min=1"`
	// The share of `pairs` in which the repeated request failed. It is tried only once.
	FailedShare float64 `json:"failedShare" schema:"min=0,max=1"`
	// Registrable domains that both answers cite, as a share of the domains that at least one cites (Jaccard index).
	Domains *AgreementMean `json:"domains"`
	// Brands of the tracker that both answers name, as a share of the brands that at least one names. Only requests of trackers count.
	Brands *AgreementMean `json:"brands"`
	// The share of the first ten organic results, or news, that both pages have.
	Organic *AgreementMean `json:"organic"`
	// Fields of the result that both answers fill, as a share of the fields that at least one fills.
	Fields *AgreementMean `json:"fields"`
	// Half of the first requests were answered within this time.
	FirstP50Ms int64 `json:"firstP50Ms" schema:"min=0"`
	// Half of the repeated requests ended within this time, answered or failed.
	SecondP50Ms int64 `json:"secondP50Ms" schema:"min=0"`
	// The mean cost of a first request in US dollars.
	FirstUSD float64 `json:"firstUsd" schema:"min=0"`
	// The mean cost of a repeated request in US dollars, failed requests included.
	SecondUSD float64 `json:"secondUsd" schema:"min=0"`
}

// AgreementMean is a mean over pairs. It is `null` where no pair has the value: two answers
// without citations have no agreement of domains.
type AgreementMean struct {
	// How many pairs have the value.
	Pairs int     `json:"pairs" schema:"min=1"`
	Mean  float64 `json:"mean" schema:"min=0,max=1"`
	// The 95 % confidence interval of the mean. `null` with fewer than two pairs.
	Low  *float64 `json:"low" schema:"min=0,max=1"`
	High *float64 `json:"high" schema:"min=0,max=1"`
}
