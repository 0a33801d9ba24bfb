package stats_test

import (
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
