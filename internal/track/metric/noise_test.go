package metric_test

import (
	"math"
	"testing"

	"earshot/internal/track/metric"
)

// The two sweeps have three prompts that count, one branded prompt, and one prompt that only
// the first sweep answered.
func TestNoiseOfARepeatedSweep(t *testing.T) {
	t.Parallel()
	def := metric.Definition{
		Samples: 1, Brands: []metric.PanelBrand{{Name: "A"}, {Name: "B"}},
		Targets: []metric.Target{{Key: "chat/US", Surface: "web"}, {Key: "engine/DE", Surface: "web"}},
		Prompts: []metric.Prompt{{Text: "one", Weight: 1}, {Text: "two", Weight: 2}, {Text: "is A good", Weight: 1, Branded: true}, {Text: "three", Weight: 1}},
		Sweeps:  []metric.AskedSweep{{ID: "first", Slot: "2026-11-15T06:00"}, {ID: "again", Slot: "2026-11-15T06:00"}},
	}
	said := func(sweep, target string, prompt int, domains string, brands ...string) metric.Observation {
		a := metric.Observation{ID: sweep + target + string(rune('0'+prompt)), Sweep: sweep, Target: target, Prompt: prompt, Sample: 1, Outcome: metric.Answered}
		for i, brand := range brands {
			a.Mentions = append(a.Mentions, metric.Mention{Brand: brand, Kind: metric.Name, Position: i + 1})
		}
		for i, letter := range domains {
			domain := string(letter) + ".example"
			a.Citations = append(a.Citations, metric.Citation{URL: "https://" + domain + "/", Domain: domain, Position: i + 1})
		}
		return a
	}
	b := datasetOf(t, def, []metric.Observation{
		said("first", "chat/US", 0, "xy", "A", "B"), said("again", "chat/US", 0, "yz", "A"), // B differs; domains 1 of 3 the same
		said("first", "chat/US", 1, ""), said("again", "chat/US", 1, "", "A"), // A differs; no domains
		said("first", "chat/US", 2, "x", "A"), said("again", "chat/US", 2, "z"), // branded
		said("first", "chat/US", 3, "x", "A", "B"),                             // no pair
		said("first", "engine/DE", 0, "x"), said("again", "engine/DE", 0, "x"), // the same, nobody named
	})
	found, err := b.Noise("first", "again")
	if err != nil || len(found) != 3 {
		t.Fatalf("the noise is %+v, %v", found, err)
	}
	for i, want := range []struct {
		target                  string
		cells                   int
		differs, named, domains float64
		a, b                    [2]float64 // share of cells that differ; difference of visibility
	}{
		// The cells of chat/US have the weights 1 and 2, the cell of engine/DE has 1.
		{"*", 3, 1.0 / 3, 0.75, 1.0 / 3, [2]float64{1.0 / 3, 0.5}, [2]float64{1.0 / 3, 0.25}},
		{"chat/US", 2, 0.5, 0.75, 2.0 / 3, [2]float64{0.5, 2.0 / 3}, [2]float64{0.5, 1.0 / 3}},
	} {
		n := found[i]
		got := []float64{*n.Differs, *n.Named, *n.Domains, n.Brands[0].Differs, *n.Brands[0].Visibility, n.Brands[1].Differs, *n.Brands[1].Visibility}
		for j, value := range []float64{want.differs, want.named, want.domains, want.a[0], want.a[1], want.b[0], want.b[1]} {
			if n.Target != want.target || n.Cells != want.cells || math.Abs(got[j]-value) > 1e-9 {
				t.Errorf("the noise of %s over %d cells is %v, want %+v", n.Target, n.Cells, got, want)
				break
			}
		}
	}
	if n := found[2]; n.Cells != 1 || *n.Differs != 0 || n.Named != nil || *n.Domains != 0 {
		t.Errorf("the noise of the same answer is %+v", n)
	}
	if _, err := b.Noise("first", "first"); err == nil {
		t.Error("Noise compares a sweep with itself")
	}
}
