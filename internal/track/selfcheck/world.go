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
// d_bt is autocorrelated.
type world struct {
	prompts   int
	targets   int       // each target has its own e_ibt; a and d are the same on all targets
	samples   int       // answers per cell and sweep; they have the same e_ibt
	centres   []float64 // one per brand; only the first brand is measured
	spread    float64
	day       float64
	promptDay float64
	lag1      float64 // correlation of d_bt with d_b(t+1)

	// missing is the share of missing answers on prompts that name the first brand more often
	// than average. On other prompts no answer is missing. An estimate that weights cells by
	// their number of answers is wrong then.
	missing  float64
	weighted bool // every second prompt has the weight 5
	cites    bool // an answer that names a brand cites one or two of its pages
	shift    float64
	shiftAt  int

	note string // describes other properties in the output
}

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
			answer.Outcome, answer.Mentions, answer.Citations = metric.Answered, answer.Mentions[:0], answer.Citations[:0]
			if effects[i][0] > 0 && r.Float64() < w.missing {
				answer.Outcome = "failed"
			}
			for b, rate := range rates {
				if r.Float64() >= rate {
					continue
				}
				answer.Mentions = append(answer.Mentions, metric.Mention{Brand: def.Brands[b].Name, Kind: metric.Name})
				if w.cites {
					answer.Citations = cite(answer.Citations, def.Brands[b], 1+r.IntN(2))
				}
			}
			cells[i].Add(def.Brands, answer)
		}
	}
	return cells
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
	var mean total
	for i, of := range effects {
		for b, centre := range w.centres {
			mean.add(b, w.weight(i)*meanRate(centre+of[b], math.Hypot(w.day, w.promptDay)))
		}
		mean.weight += w.weight(i)
	}
	return mean.value(name)
}

// marketTruth returns the true value over all prompts and days.
func (w world) marketTruth(name string) float64 {
	mean := total{weight: 1}
	for b, centre := range w.centres {
		mean.add(b, meanRate(centre, math.Hypot(w.spread, math.Hypot(w.day, w.promptDay))))
	}
	return mean.value(name)
}

// total adds up the rates of the first brand and of all brands.
type total struct{ first, all, weight float64 }

func (t *total) add(brand int, rate float64) {
	t.all += rate
	if brand == 0 {
		t.first += rate
	}
}

// value returns the value of a metric. shareOfVoice and citationShare are equal, because each
// mention of a brand comes with the same expected number of citations.
func (t *total) value(name string) float64 {
	if name == visibility {
		return t.first / t.weight
	}
	return t.first / t.all
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
