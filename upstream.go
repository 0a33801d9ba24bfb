package earshot

// UpstreamState says whether an upstream can be asked.
type UpstreamState string

// The states of an upstream.
const (
	UpstreamReady         UpstreamState = "ready"
	UpstreamCircuitOpen   UpstreamState = "circuitOpen"    // not asked for a while, after failures
	UpstreamCeiling       UpstreamState = "ceilingReached" // not asked until tomorrow (UTC)
	UpstreamNotConfigured UpstreamState = "notConfigured"  // could be used, but is not in the provider's list
)

// Values lists the states.
func (UpstreamState) Values() []UpstreamState {
	return []UpstreamState{UpstreamReady, UpstreamCircuitOpen, UpstreamCeiling, UpstreamNotConfigured}
}

// ModelState says whether a vendor still offers a model.
type ModelState string

// The states of a model.
const (
	ModelCurrent ModelState = "current" // no end within 60 days is known
	ModelEnding  ModelState = "ending"  // the vendor ends it within 60 days
	ModelEnded   ModelState = "ended"   // the announced date is reached; requests fail or get another model
)

// Values lists the states.
func (ModelState) Values() []ModelState {
	return []ModelState{ModelCurrent, ModelEnding, ModelEnded}
}

// Upstreams lists where the answers of each provider come from.
type Upstreams struct {
	Providers List[ProviderUpstreams] `json:"providers"`
}

// ProviderUpstreams are the upstreams of one provider: first the configured ones in the order in
// which they are asked, then the ones that could be added.
type ProviderUpstreams struct {
	Provider  string         `json:"provider" schema:"provider"`
	Upstreams List[Upstream] `json:"upstreams"`
}

// Upstream is one source of answers and how it served your organization.
type Upstream struct {
	// The name in the settings, such as `api:openai`, `via:cloro`, `web` or `lab`.
	Name    string        `json:"name"`
	Surface Surface       `json:"surface"`
	State   UpstreamState `json:"state"`
	// The model that the upstream is asked for. Absent where there is no choice of models.
	Model string `json:"model,omitempty"`
	// Whether the vendor still offers `model`: `ending` during the 60 days before its end, `ended` from that date on. Absent without `model`.
	ModelState ModelState `json:"modelState,omitempty"`
	// The date on which the vendor ends `model`, as announced when this release was made. Absent if none was announced.
	ModelEndsOn string `json:"modelEndsOn,omitempty" schema:"date"`
	// Requests of your organization since the beginning of the hour before this one, answered or failed. The lab is not counted.
	Requests int64 `json:"requests" schema:"min=0"`
	// The share of `requests` that were answered. `null` without requests.
	AnsweredShare *float64 `json:"answeredShare" schema:"min=0,max=1"`
	// Half of `requests` took at most this long.
	P50Ms *int64 `json:"p50Ms" schema:"min=0"`
	// 95 % of `requests` took at most this long.
	P95Ms *int64 `json:"p95Ms" schema:"min=0"`
	// Questions of your organization that were submitted to the vendor and are not answered yet, over all providers.
	OpenTickets int `json:"openTickets" schema:"min=0"`
	// The amount that the upstream charged for your organization's requests to this provider today (UTC), in US dollars.
	SpentTodayUSD float64 `json:"spentTodayUsd" schema:"min=0"`
	// The expected price of an answer in US dollars. `null` when the settings have none.
	PriceUSD *float64 `json:"priceUsd" schema:"min=0"`
	// The operator's daily ceiling for all organizations in US dollars. `null` without one.
	CeilingUSD *float64 `json:"ceilingUsd" schema:"min=0"`
}

// QuoteUpstream is what an answer is expected to cost the operator.
type QuoteUpstream struct {
	// The first upstream of the provider's list.
	Name string `json:"name"`
	// The cost of the answer there when all goes well, in US dollars; 0 when the settings have no price.
	USD float64 `json:"usd" schema:"min=0"`
	// The most that the answer costs, with further attempts and other upstreams.
	USDAtMost float64 `json:"usdAtMost" schema:"min=0"`
}
