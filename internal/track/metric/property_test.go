package metric_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"earshot/internal/track/metric"
)

// world returns a random definition and its answers: 14 sweeps, 7 prompts of unequal weight, 2
// targets, 2 samples, a tenth of the answers missing.
func world(seed uint64) (metric.Definition, []metric.Observation) {
	r := rand.New(rand.NewPCG(seed, seed))
	def := metric.Definition{
		Samples: 2,
		Brands:  []metric.PanelBrand{{Name: "A", Own: true, Domains: []string{"a.example"}}, {Name: "B", Domains: []string{"b.example"}}, {Name: "C"}},
		Targets: []metric.Target{{Key: "chat/US", Surface: "web"}, {Key: "engine/DE", Surface: "web"}},
		Periods: &metric.Periods{},
		CUSUM:   metric.Detector{H: 2, K: 0.5},
	}
	for i := range 7 {
		p := metric.Prompt{Text: fmt.Sprint("prompt ", i), Weight: float64(1 + i%3), Branded: i == 6}
		if i%2 == 0 {
			p.Tags = []string{"even"}
		}
		def.Prompts = append(def.Prompts, p)
	}
	var answers []metric.Observation
	for s := range 14 {
		id := fmt.Sprintf("s%02d", s)
		def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: id, Slot: fmt.Sprintf("2026-08-%02dT06:00", 25+s)})
		if s >= 7 {
			def.Sweeps[s].Slot = fmt.Sprintf("2026-09-%02dT06:00", s-6)
			def.Periods.B = append(def.Periods.B, id)
		} else {
			def.Periods.A = append(def.Periods.A, id)
		}
		for p := range def.Prompts {
			for _, target := range def.Targets {
				for sample := range 2 {
					if r.Float64() > 0.1 {
						answers = append(answers, answer(r, p, target.Key, id, sample+1, len(answers)))
					}
				}
			}
		}
	}
	return def, answers
}

func answer(r *rand.Rand, prompt int, target, sweep string, sample, number int) metric.Observation {
	a := metric.Observation{
		ID: fmt.Sprint("a", number), Prompt: prompt, Target: target, Sweep: sweep, Sample: sample, Outcome: metric.Answered,
		Citations: []metric.Citation{{URL: "https://press.example/" + fmt.Sprint(r.IntN(3)), Domain: "press.example", Type: "editorial"}},
	}
	position := 0
	for i, brand := range []string{"A", "B", "C"} {
		if r.Float64() < 0.2+0.1*float64((prompt+i)%5) {
			position++
			a.Mentions = append(a.Mentions, metric.Mention{Brand: brand, Kind: metric.Name, Position: position})
		}
	}
	if r.Float64() < 0.3 {
		a.Citations = append(a.Citations, metric.Citation{URL: "https://www.a.example/", Domain: "a.example", Type: "own"})
	}
	return a
}

func datasetOf(t *testing.T, def metric.Definition, answers []metric.Observation) *metric.Dataset {
	t.Helper()
	b, err := metric.NewDataset(def)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if err := b.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// same fails if the reports of two datasets differ by more than within.
func same(t *testing.T, why string, a, b *metric.Dataset, within float64) {
	t.Helper()
	one, err := a.Report()
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.Report()
	if err != nil {
		t.Fatal(err)
	}
	d := differ{}
	d.compare("", asJSON(t, two), asJSON(t, one))
	if d.largest > within || len(d.found) > 0 {
		t.Errorf("%s: the largest deviation is %v, %v", why, d.largest, d.found[:min(3, len(d.found))])
	}
	if d.numbers < 1000 {
		t.Errorf("%s: only %d numbers were compared", why, d.numbers)
	}
}

func TestTheOrderOfAnswersDoesNotMatter(t *testing.T) {
	t.Parallel()
	def, answers := world(1)
	b := datasetOf(t, def, answers)
	r := rand.New(rand.NewPCG(9, 9))
	shuffled := slices.Clone(answers)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	same(t, "answers shuffled", b, datasetOf(t, def, shuffled), 0)
	def.Sweeps = slices.Clone(def.Sweeps)
	r.Shuffle(len(def.Sweeps), func(i, j int) { def.Sweeps[i], def.Sweeps[j] = def.Sweeps[j], def.Sweeps[i] })
	same(t, "sweeps shuffled", b, datasetOf(t, def, answers), 0)
}

func TestOnlyTheRatioOfWeightsMatters(t *testing.T) {
	t.Parallel()
	def, answers := world(2)
	b := datasetOf(t, def, answers)
	def.Prompts = slices.Clone(def.Prompts)
	for i := range def.Prompts {
		def.Prompts[i].Weight *= 7
	}
	same(t, "weights times 7", b, datasetOf(t, def, answers), 1e-12)
}

func TestMissingIsNotZero(t *testing.T) {
	t.Parallel()
	def, answers := world(3)
	without := slices.DeleteFunc(slices.Clone(answers), func(a metric.Observation) bool { return a.Prompt == 1 && a.Sweep < "s05" })
	b := datasetOf(t, def, without)
	// A failed answer and a missing answer give the same numbers.
	blocked := slices.Clone(answers)
	for i, a := range blocked {
		if a.Prompt == 1 && a.Sweep < "s05" {
			blocked[i].Outcome = "blocked"
		}
	}
	same(t, "blocked", b, datasetOf(t, def, blocked), 0)
	// An answer that names no brand lowers the numbers.
	silent := slices.Clone(answers)
	for i, a := range silent {
		if a.Prompt == 1 && a.Sweep < "s05" {
			silent[i].Mentions = nil
		}
	}
	visibility := func(b *metric.Dataset) metric.Row {
		rows, err := b.Rows(metric.Query{Metrics: []string{"visibility"}, By: []string{"target"}})
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	missing, zero := visibility(b), visibility(datasetOf(t, def, silent))
	if *missing.Value.Number <= *zero.Value.Number || *missing.Missing <= *zero.Missing || missing.Denominator >= zero.Denominator {
		t.Errorf("missing answers give %v of %v (%d missing), empty ones %v of %v (%d missing)",
			*missing.Value.Number, missing.Denominator, *missing.Missing, *zero.Value.Number, zero.Denominator, *zero.Missing)
	}
}
