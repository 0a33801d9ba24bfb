package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"earshot/internal/stats"
)

func TestAllInPart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		x, part, rest int
		want          float64
	}{
		{0, 5, 5, 1},
		{1, 1, 28, 1.0 / 29},
		{2, 3, 3, 3.0 / 15}, // C(3,2) of C(6,2) pairs
		{3, 2, 10, 0},
	} {
		if got := stats.AllInPart(test.x, test.part, test.rest); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("AllInPart(%d, %d, %d) is %v, want %v", test.x, test.part, test.rest, got, test.want)
		}
	}
}

// 2 of C(n+k, k) orders of values are outside the range, all above or all below.
func TestOutsideRange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n    int
		p    float64
		want int
	}{{28, 2.0 / 29, 1}, {28, 2.0 / 435, 2}, {28, 2.0/435 - 1e-9, 3}, {14, 1e-4, 6}} {
		if got, ok := stats.OutsideRange(test.n, test.p); !ok || got != test.want {
			t.Errorf("OutsideRange(%d, %v) is %d, %v, want %d", test.n, test.p, got, ok, test.want)
		}
	}
	if got, ok := stats.OutsideRange(3, 0.01); ok {
		t.Errorf("%d of 3 values are enough", got)
	}
	r, left := rand.New(rand.NewPCG(1, 2)), 0
	const rounds = 20_000
	for range rounds {
		values := make([]float64, 12)
		for i := range values {
			values[i] = r.Float64()
		}
		if stats.LeftRange(values, 2) {
			left++
		}
	}
	want := 2.0 / 66 // C(12, 2)
	if got := float64(left) / rounds; math.Abs(got-want) > 4*math.Sqrt(want/rounds) {
		t.Errorf("random values leave the range with probability %v, want %v", got, want)
	}
}
