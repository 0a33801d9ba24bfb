package metric_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"earshot/internal/track/metric"
)

// simulated is a tracker with known rates. The log-odds that an answer to prompt i in sweep t
// names brand b are
//
//	centre_b + a_ib + d_bt + e_ibt + shift (from the sweep shiftAt on)
//
// where a, d and e are normal with the standard deviations spread, day and promptDay, and
// d_bt is autocorrelated. Other contents of answers have log-odds of the same form.
type simulated struct {
	prompts, sweeps int
	metric          string    // visibility by default
	targets         int       // each target has its own e_ibt; a and d are the same on all targets
	samples         int       // answers per cell and sweep; they have the same e_ibt
	contents        contents  // the events that have these log-odds
	centres         []float64 // one per brand; only the first brand is measured
	spread          float64
	day             float64
	promptDay       float64
	lag1            float64 // correlation of d_bt with d_b(t+1)

	// missing is the share of missing answers on prompts that name the first brand more often
	// than average. An estimate that weights cells by their number of answers is wrong then.
	missing    float64
	unreported float64 // share of answers without the measured field, on the same prompts
	weighted   bool    // every second prompt has the weight 5
	cites      bool    // an answer that names a brand cites one or two of its pages
	shift      float64
	shiftAt    int

	observe func(*metric.Observation) // a planted fault; nil otherwise
}

// contents are the events that have the log-odds of a simulated tracker.
type contents int

const (
	named    contents = iota // an answer names brand b
	ads                      // an answer shows an ad of brand b
	pages                    // 0: an answer retrieves a page of the first brand; 1: if so, it cites the page
	searches                 // 0: an assistant searches; 1: if so, each of maxFurther further searches
)

const (
	maxFurther = 4   // searches after the first
	alike      = 0.6 // lag1 of trackers with correlated days
)

// usual returns a tracker like a real one: a brand is named in about 40 % of answers, to some
// prompts hardly ever and to others nearly always. The changes are applied in turn.
func usual(prompts, sweeps int, changes ...func(s *simulated)) simulated {
	s := simulated{prompts: prompts, sweeps: sweeps, metric: "visibility", targets: 1, samples: 1, centres: []float64{-0.5}, spread: 1.2, day: 0.2, promptDay: 0.5}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func (s simulated) definition() metric.Definition {
	def := metric.Definition{Samples: s.samples, Periods: &metric.Periods{}}
	for b := range s.centres {
		name := fmt.Sprintf("brand%d", b)
		def.Brands = append(def.Brands, metric.PanelBrand{Name: name, Domains: []string{name + ".example"}})
	}
	for i := range s.prompts {
		def.Prompts = append(def.Prompts, metric.Prompt{Text: fmt.Sprint(i), Weight: s.weight(i)})
	}
	for t := range s.targets {
		def.Targets = append(def.Targets, metric.Target{Key: fmt.Sprintf("provider%d/US", t), Surface: "web"})
	}
	for t := range s.sweeps {
		id := fmt.Sprintf("%04d", t)
		def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: id, Slot: id})
		if t < s.sweeps/2 {
			def.Periods.A = append(def.Periods.A, id)
		} else {
			def.Periods.B = append(def.Periods.B, id)
		}
	}
	return def
}

func (s simulated) weight(prompt int) float64 {
	if s.weighted && prompt%2 == 1 {
		return 5
	}
	return 1
}

// play simulates the answers of a definition. It also returns a_ib, by prompt and brand.
func (s simulated) play(tb testing.TB, def metric.Definition, r *rand.Rand) (*metric.Dataset, [][]float64) {
	data, err := metric.NewDataset(def)
	if err != nil {
		tb.Error(err)
	}
	data.CountSources(metric.NoSources)
	effects := make([][]float64, s.prompts)
	for i := range effects {
		effects[i] = make([]float64, len(s.centres))
		for b := range effects[i] {
			effects[i][b] = s.spread * r.NormFloat64()
		}
	}
	days := make([]float64, len(s.centres))
	for t, sweep := range def.Sweeps {
		for b := range days {
			if noise := s.day * r.NormFloat64(); t == 0 {
				days[b] = noise
			} else {
				days[b] = s.lag1*days[b] + math.Sqrt(1-s.lag1*s.lag1)*noise
			}
		}
		for _, target := range def.Targets {
			for i := range s.prompts {
				rates := make([]float64, len(s.centres))
				for b, centre := range s.centres {
					odds := centre + effects[i][b] + days[b] + s.promptDay*r.NormFloat64()
					if t >= s.shiftAt {
						odds += s.shift
					}
					rates[b] = logistic(odds)
				}
				for sample := range s.samples {
					a := s.answer(def.Brands, effects[i][0] > 0, rates, r)
					a.Prompt, a.Target, a.Sweep, a.Sample = i, target.Key, sweep.ID, sample+1
					if err := data.Add(a); err != nil {
						tb.Error(err)
					}
				}
			}
		}
	}
	return data, effects
}

// nothing says that none of the measured fields was requested.
var nothing = metric.Unreported{
	metric.FieldSearches: metric.NotRequested, metric.FieldSources: metric.NotRequested, metric.FieldCited: metric.NotRequested, metric.FieldAds: metric.NotRequested,
}

// answer returns an answer to a prompt that names the first brand often or not.
func (s simulated) answer(brands []metric.PanelBrand, often bool, rates []float64, r *rand.Rand) metric.Observation {
	a := metric.Observation{Outcome: metric.Answered}
	if often && r.Float64() < s.missing {
		a.Outcome = "failed"
	}
	if often && s.unreported > 0 && r.Float64() < s.unreported {
		a.Unreported = nothing
	}
	page := func(brand int, path string) metric.Citation {
		host := brands[brand].Domains[0]
		return metric.Citation{URL: "https://" + host + path, Host: host, Domain: host}
	}
	switch s.contents {
	case named:
		for b, rate := range rates {
			if r.Float64() >= rate {
				continue
			}
			a.Mentions = append(a.Mentions, metric.Mention{Brand: brands[b].Name, Kind: metric.Name})
			for _, path := range []string{"/a", "/b"}[:1+r.IntN(2)] {
				if s.cites {
					a.Citations = append(a.Citations, page(b, path))
				}
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
			a.Sources = append(a.Sources, page(0, "/a"))
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
	if s.observe != nil {
		s.observe(&a)
	}
	return a
}

// truth returns the true value of the metric of the first brand for these prompts over all
// days.
func (s simulated) truth(effects [][]float64) float64 {
	x, y := 0.0, 0.0
	for i, of := range effects {
		x1, y1 := s.expected(of, math.Hypot(s.day, s.promptDay))
		x, y = x+s.weight(i)*x1, y+s.weight(i)*y1
	}
	return x / y
}

// marketTruth returns the true value over all prompts and days.
func (s simulated) marketTruth() float64 {
	x, y := s.expected(make([]float64, len(s.centres)), math.Hypot(s.spread, math.Hypot(s.day, s.promptDay)))
	return x / y
}

// expected returns the expected numerator and denominator of the metric of the first brand in
// an answer, over effects that vary with a standard deviation of sd.
func (s simulated) expected(effects []float64, sd float64) (x, y float64) {
	rates := make([]float64, len(s.centres))
	all := 0.0
	for b, centre := range s.centres {
		rates[b] = meanRate(centre+effects[b], sd)
		all += rates[b]
	}
	switch s.metric {
	case "visibility", "adRate":
		return rates[0], 1
	case "citedWhenRetrieved":
		return rates[0] * rates[1], rates[0]
	case "fanout":
		return rates[0] * (1 + maxFurther*rates[1]), rates[0]
	default: // shareOfVoice and citationShare are equal: each mention of a brand comes with the same expected number of citations
		return rates[0], all
	}
}

// meanRate returns the mean of logistic(centre + sd·Z) over normal Z, by the trapezoidal rule.
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

// query returns the query for the metric of the first brand. Searches have no brand.
func (s simulated) query(data *metric.Dataset, by ...string) metric.Query {
	q := metric.Query{Metrics: []string{s.metric}, By: by}
	if s.metric != "fanout" {
		q.Having, q.BrandsOnly = metric.Selection{"brand": {data.Definition().Brands[0].Name}}, true
	}
	return q
}

// repeat returns how often each of the given number of outcomes of a simulation is true. Each
// simulation has its own random numbers, which do not depend on scheduling.
func repeat(name string, n, outcomes int, play func(r *rand.Rand) []bool) []rate {
	seed := fnv.New64a()
	seed.Write([]byte(name))
	hits := make([]atomic.Int64, outcomes)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				for outcome, hit := range play(rand.New(rand.NewPCG(seed.Sum64(), uint64(i)))) {
					if hit {
						hits[outcome].Add(1)
					}
				}
			}
		})
	}
	workers.Wait()
	found := make([]rate, outcomes)
	for outcome := range hits {
		k := float64(hits[outcome].Load())
		p := (k + 1) / (float64(n) + 2) // keeps the variance above 0
		found[outcome] = rate{k / float64(n), p * (1 - p) / float64(n)}
	}
	return found
}

// rate is how often something happened in simulations.
type rate struct{ value, variance float64 }

// within reports whether a rate is in a range, or at most that many standard errors outside.
func (r rate) within(stated [2]float64, standardErrors float64) bool {
	e := standardErrors * math.Sqrt(r.variance)
	return r.value >= stated[0]-e && r.value <= stated[1]+e
}

func (r rate) String() string { return fmt.Sprintf("%.4f ± %.4f", r.value, math.Sqrt(r.variance)) }
