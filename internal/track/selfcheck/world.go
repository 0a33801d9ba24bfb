package selfcheck

import (
	"fmt"
	"math"
	"math/rand/v2"

	"earshot/internal/track/metric"
)

// world is a simulated tracker with known rates. The log-odds that an answer to prompt i in
// sweep t names brand b are
//
//	centre_b + a_ib + d_bt + e_ibt + shift (from the sweep shiftAt on)
//
// where a, d and e are normal with the standard deviations spread, day and promptDay, and
// d_bt is autocorrelated. Other contents of answers have log-odds of the same form.
type world struct {
	prompts   int
	targets   int       // each target has its own e_ibt; a and d are the same on all targets
	samples   int       // answers per cell and sweep; they have the same e_ibt
	contents  contents  // the events that have these log-odds
	centres   []float64 // one per brand; only the first brand is measured
	spread    float64
	day       float64
	promptDay float64
	lag1      float64 // correlation of d_bt with d_b(t+1)

	// missing is the share of missing answers on prompts that name the first brand more often
	// than average. On other prompts no answer is missing. An estimate that weights cells by
	// their number of answers is wrong then.
	missing float64
	// unreported is the share of answers without the field that is measured, on the same
	// prompts.
	unreported float64
	weighted   bool // every second prompt has the weight 5
	cites      bool // an answer that names a brand cites one or two of its pages
	shift      float64
	shiftAt    int

	note string // describes other properties in the output

	observe func(*metric.Observation) // a planted fault; nil otherwise
}

// contents are the events that have the log-odds of a world.
type contents int

const (
	named    contents = iota // an answer names brand b
	ads                      // an answer shows an ad of brand b
	pages                    // 0: an answer retrieves a page of the first brand; 1: if so, it cites the page
	searches                 // 0: an assistant searches; 1: if so, each of maxFurther further searches
)

// maxFurther is the maximum number of searches after the first.
const maxFurther = 4

// usual returns a world like a real tracker: a brand is named in about 40 % of answers, to
// some prompts hardly ever and to others nearly always.
func usual(prompts int, lag1 float64) world {
	return world{prompts: prompts, targets: 1, samples: 1, centres: []float64{-0.5}, spread: 1.2, day: 0.2, promptDay: 0.5, lag1: lag1}
}

// with returns a changed copy of the world.
func (w world) with(change func(w *world)) world {
	change(&w)
	return w
}

// setting returns a description of the world with that many sweeps.
func (w world) setting(sweeps any) string {
	text := fmt.Sprintf("%d prompts, %v sweeps", w.prompts, sweeps)
	if w.targets > 1 {
		text += fmt.Sprintf(", %d targets", w.targets)
	}
	if w.samples > 1 {
		text += fmt.Sprintf(", %d samples", w.samples)
	}
	if w.weighted {
		text += ", weights"
	}
	if w.missing > 0 {
		text += ", some missing"
	}
	if w.unreported > 0 {
		text += ", some without the field"
	}
	if w.lag1 > 0 {
		text += fmt.Sprintf(", days alike by %.1f", w.lag1)
	}
	if w.note != "" {
		text += ", " + w.note
	}
	return text
}

// definition returns the definition of a tracker of the world with that many sweeps.
func (w world) definition(sweeps int) metric.Definition {
	def := metric.Definition{Samples: w.samples}
	for b := range w.centres {
		name := fmt.Sprintf("brand%d", b)
		def.Brands = append(def.Brands, metric.PanelBrand{Name: name, Domains: []string{name + ".example"}})
	}
	for i := range w.prompts {
		def.Prompts = append(def.Prompts, metric.Prompt{Text: fmt.Sprint(i), Weight: w.weight(i)})
	}
	for t := range w.targets {
		def.Targets = append(def.Targets, metric.Target{Key: fmt.Sprintf("provider%d/US", t), Surface: "web"})
	}
	for t := range sweeps {
		id := fmt.Sprintf("%04d", t)
		def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: id, Slot: id})
	}
	return def
}

func (w world) weight(prompt int) float64 {
	if w.weighted && prompt%2 == 1 {
		return 5
	}
	return 1
}

// history contains the counts of simulated answers.
type history struct {
	*metric.Dataset
	effects [][]float64 // a_ib, by prompt and brand
}

// play simulates the answers of a definition. It counts them like real answers after their
// analysis.
func (w world) play(def metric.Definition, r *rand.Rand) history {
	data, err := metric.NewDataset(def)
	if err != nil {
		panic(err) // our own definition
	}
	h := history{Dataset: data, effects: make([][]float64, w.prompts)}
	for i := range h.effects {
		h.effects[i] = make([]float64, len(w.centres))
		for b := range h.effects[i] {
			h.effects[i][b] = w.spread * r.NormFloat64()
		}
	}
	days := make([]float64, len(w.centres))
	for t, sweep := range def.Sweeps {
		for b := range days {
			if noise := w.day * r.NormFloat64(); t == 0 {
				days[b] = noise
			} else {
				days[b] = w.lag1*days[b] + math.Sqrt(1-w.lag1*w.lag1)*noise
			}
		}
		for _, target := range def.Targets {
			if err := data.AddCounts(sweep.ID, target.Key, w.sweep(def, t, days, h.effects, r)); err != nil {
				panic(err)
			}
		}
	}
	return h
}

// sweep returns the counts of the answers of a target in sweep t, by prompt.
func (w world) sweep(def metric.Definition, t int, days []float64, effects [][]float64, r *rand.Rand) []*metric.CellCounts {
	cells := make([]*metric.CellCounts, w.prompts)
	rates := make([]float64, len(w.centres))
	var answer metric.Observation
	for i := range cells {
		cells[i] = metric.NewCellCounts(len(w.centres))
		cells[i].CountSources(metric.NoSources)
		for b, centre := range w.centres {
			odds := centre + effects[i][b] + days[b] + w.promptDay*r.NormFloat64()
			if t >= w.shiftAt {
				odds += w.shift
			}
			rates[b] = logistic(odds)
		}
		for range w.samples {
			answer.Outcome, answer.Unreported = metric.Answered, nil
			if effects[i][0] > 0 && r.Float64() < w.missing {
				answer.Outcome = "failed"
			}
			if w.unreported > 0 && effects[i][0] > 0 && r.Float64() < w.unreported {
				answer.Unreported = nothing
			}
			w.fill(&answer, def.Brands, rates, r)
			if w.observe != nil {
				w.observe(&answer)
			}
			cells[i].Add(def.Brands, answer)
		}
	}
	return cells
}

// nothing says that none of the measured fields was requested.
var nothing = metric.Unreported{
	metric.FieldSearches: metric.NotRequested, metric.FieldSources: metric.NotRequested, metric.FieldCited: metric.NotRequested, metric.FieldAds: metric.NotRequested,
}

// fill sets the contents of an answer.
func (w world) fill(a *metric.Observation, brands []metric.PanelBrand, rates []float64, r *rand.Rand) {
	switch w.contents {
	case named:
		a.Mentions, a.Citations = a.Mentions[:0], a.Citations[:0]
		for b, rate := range rates {
			if r.Float64() >= rate {
				continue
			}
			a.Mentions = append(a.Mentions, metric.Mention{Brand: brands[b].Name, Kind: metric.Name})
			if w.cites {
				a.Citations = cite(a.Citations, brands[b], 1+r.IntN(2))
			}
		}
	case ads:
		a.Ads = []metric.Ad{}
		for b, rate := range rates {
			if r.Float64() < rate {
				a.Ads = append(a.Ads, metric.Ad{Named: []string{brands[b].Name}})
			}
		}
	case pages:
		a.Sources, a.Cited = []metric.Citation{}, []metric.Citation{}
		if r.Float64() < rates[0] {
			a.Sources = cite(a.Sources, brands[0], 1)
			if r.Float64() < rates[1] {
				a.Cited = a.Sources
			}
		}
	case searches:
		a.Searches = []string{}
		if r.Float64() < rates[0] {
			a.Searches = append(a.Searches, "first")
			for n := range maxFurther {
				if r.Float64() < rates[1] {
					a.Searches = append(a.Searches, fmt.Sprint(n))
				}
			}
		}
	}
}

// cite appends citations of one or two pages of a brand.
func cite(citations []metric.Citation, brand metric.PanelBrand, pages int) []metric.Citation {
	for _, page := range []string{"/a", "/b"}[:pages] {
		citations = append(citations, metric.Citation{URL: "https://" + brand.Domains[0] + page, Host: brand.Domains[0], Domain: brand.Domains[0]})
	}
	return citations
}

// truth returns the true value of a metric of the first brand for these prompts over all days.
func (w world) truth(name string, effects [][]float64) float64 {
	x, y := 0.0, 0.0
	for i, of := range effects {
		x1, y1 := w.expected(name, of, math.Hypot(w.day, w.promptDay))
		x, y = x+w.weight(i)*x1, y+w.weight(i)*y1
	}
	return x / y
}

// marketTruth returns the true value over all prompts and days.
func (w world) marketTruth(name string) float64 {
	x, y := w.expected(name, make([]float64, len(w.centres)), math.Hypot(w.spread, math.Hypot(w.day, w.promptDay)))
	return x / y
}

// expected returns the expected numerator and denominator of a metric of the first brand in an
// answer, over effects that vary with a standard deviation of sd.
func (w world) expected(name string, effects []float64, sd float64) (x, y float64) {
	rates := make([]float64, len(w.centres))
	all := 0.0
	for b, centre := range w.centres {
		rates[b] = meanRate(centre+effects[b], sd)
		all += rates[b]
	}
	switch name {
	case visibility, adRate:
		return rates[0], 1
	case citedWhenRetrieved:
		return rates[0] * rates[1], rates[0]
	case fanout:
		return rates[0] * (1 + maxFurther*rates[1]), rates[0]
	default: // shareOfVoice and citationShare are equal: each mention of a brand comes with the same expected number of citations
		return rates[0], all
	}
}

// meanRate returns the mean of logistic(centre + sd·Z) over normal Z. The trapezoidal rule is
// far more precise than the simulation.
func meanRate(centre, sd float64) float64 {
	step := 0.5 / max(1, sd) // a larger sd needs smaller steps
	sum, weight := 0.0, 0.0
	for z := -6.0; z <= 6; z += step {
		density := math.Exp(-z * z / 2)
		sum += density * logistic(centre+sd*z)
		weight += density
	}
	return sum / weight
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
