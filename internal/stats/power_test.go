package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"earshot/internal/stats"
)

// The power depends on the threshold, and is close to simulations of whole trackers with
// independent days: 94, 49 and 12 % at a threshold of 8.1.
func TestAHigherThresholdFindsLess(t *testing.T) {
	t.Parallel()
	h := stats.Threshold(1, 30, 365, stats.DefaultK)
	independent := stats.Components{Day: 0.0014, Answer: 0.187} // of the simulated trackers
	for prompts, want := range map[int]float64{50: 0.94, 20: 0.49, 10: 0.12} {
		p := stats.Plan{Prompts: prompts, Samples: 1}
		found := p.Found(independent, h)
		if found < want-0.1 || found > want+0.1 {
			t.Errorf("with %d prompts %.2f are found at %.1f, want about %.2f", prompts, found, h, want)
		}
		if prompts < 50 && p.Found(independent, stats.DefaultH) <= found {
			t.Errorf("with %d prompts no more are found at %d than at %.1f", prompts, stats.DefaultH, h)
		}
		if again := p.Found(independent, h); again != found {
			t.Errorf("the same plan finds %v, then %v", found, again)
		}
	}
	if found := (stats.Plan{}).Found(independent, h); found != 0 {
		t.Errorf("without prompts %v are found", found)
	}
}

// TestTheSmallestFallIsFoundInEightOfTenCases simulates series of its own that fall by that much.
func TestTheSmallestFallIsFoundInEightOfTenCases(t *testing.T) {
	t.Parallel()
	h, c := stats.Threshold(1, 24, 365, stats.DefaultK), stats.DefaultComponents
	r, last := rand.New(rand.NewPCG(8, 1)), 0.5
	for _, prompts := range []float64{20, 50, 200} {
		fall, ok := stats.Plan{Prompts: int(prompts), Sweeps: 28, Samples: 1}.SmallestFall(c, h)
		if !ok || fall >= last {
			t.Fatalf("with %.0f prompts the smallest fall is %v, %v; with fewer prompts %v", prompts, fall, ok, last)
		}
		last = fall
		const runs = 500
		deviation, found := math.Sqrt(c.Day+c.PromptDay/prompts+c.Answer/prompts), 0
		for range runs {
			var s stats.SeriesState
			noise := r.NormFloat64()
			for day := range 60 + 28 {
				rate := 0.5 + deviation*noise
				if day >= 60 {
					rate -= fall
				}
				noise = c.Lag1*noise + math.Sqrt(1-c.Lag1*c.Lag1)*r.NormFloat64()
				v := stats.Value{Sweep: "any", Cells: []stats.CellValue{{Weight: 1, N: prompts, X: prompts * rate}}}
				if _, shift, moved := s.Step(v, h); moved && day >= 60 && shift.Direction == stats.Down {
					found++
					break
				}
			}
		}
		if share := float64(found) / runs; share < 0.74 || share > 0.9 {
			t.Errorf("with %.0f prompts %.2f of the falls by %.3f are found", prompts, share, fall)
		}
	}
	if fall, ok := (stats.Plan{Prompts: 1, Sweeps: 4, Samples: 1}).SmallestFall(c, h); ok {
		t.Errorf("one prompt a week finds a fall by %v", fall)
	}
}
