package stats

import "math"

// Verdict is the result of a comparison of two periods.
type Verdict string

// The verdicts.
const (
	Moved    Verdict = "moved"    // significant at 5 %
	Steady   Verdict = "steady"   // not significant
	TooEarly Verdict = "tooEarly" // a period has fewer than 5 sweeps
)

// Side is one period of a comparison.
type Side struct {
	Value float64
	// Sweeps are numbers in the order of slots whose mean has the error of the value: the sweep
	// means, or what each sweep adds to the value.
	Sweeps  []float64
	Answers int // eligible
}

// Change is the difference of two periods.
type Change struct {
	Change  float64 // the second value − the first
	Verdict Verdict

	// Test reports whether each period has two or more sweeps. The other fields are set only
	// if Test is true.
	Test     bool
	P        float64  // two-sided
	Degrees  float64  // Welch–Satterthwaite
	Interval Interval // of the change, 95 %
	Smallest float64  // the smallest change that is found with a power of 80 %
}

// Compare performs Welch's test (Welch 1947, Satterthwaite 1946), with the long-run variance V
// of each period and its degrees of freedom:
//
//	v  = max(V, 1/N²), where N is the number of answers of the period
//	se = √(v_a + v_b),  df = se⁴ ÷ (v_a²/df_a + v_b²/df_b)
//	interval = change ± t(0.975, df)·se
//	smallest = (t(0.975, df) + t(0.80, df))·se
func Compare(a, b Side) Change {
	c := Change{Change: b.Value - a.Value, Verdict: TooEarly}
	if len(a.Sweeps) < 2 || len(b.Sweeps) < 2 {
		return c
	}
	c.Test = true
	va, vb := a.variance(), b.variance()
	v := va.Value + vb.Value
	c.Degrees = v * v / (va.Value*va.Value/va.Degrees + vb.Value*vb.Value/vb.Degrees)
	se := math.Sqrt(v)
	c.P = twoSidedP(c.Change/se, c.Degrees)
	half := studentQuantile(0.975, c.Degrees) * se
	c.Interval = Interval{c.Change - half, c.Change + half}
	c.Smallest = smallest(Variance{v, c.Degrees})
	switch {
	case len(a.Sweeps) < EnoughSweeps || len(b.Sweeps) < EnoughSweeps:
	case c.P < 0.05:
		c.Verdict = Moved
	default:
		c.Verdict = Steady
	}
	return c
}

func (s Side) variance() Variance {
	v := LongRun(s.Sweeps)
	v.Value = math.Max(v.Value, 1/(float64(s.Answers)*float64(s.Answers)))
	return v
}

// smallest returns the smallest difference with variance v that a test at 5 % finds with a
// power of 80 %: (t(0.975) + t(0.80))·√v.
func smallest(v Variance) float64 {
	return (studentQuantile(0.975, v.Degrees) + studentQuantile(0.80, v.Degrees)) * math.Sqrt(v.Value)
}

// SmallestVisible returns the smallest change that Compare finds with a power of 80 % between
// this period and another one with the same length and variance. The variance of the change
// is 2·max(V, 1/N²), with twice the degrees of V. It returns false with fewer than two sweeps.
func SmallestVisible(s Side) (float64, bool) {
	if len(s.Sweeps) < 2 {
		return 0, false
	}
	v := s.variance()
	return smallest(Variance{2 * v.Value, 2 * v.Degrees}), true
}

// GapScale returns g, by which a cell's contributions to the sweeps of a period are multiplied
// if it answered in only k of the S sweeps, at the given positions. It makes LongRun right on
// average for independent days, whichever sweeps the cell missed:
//
//	g² = B·k ÷ (2 · Σ_{j=1..B} (Σ cos² − (Σ cos)²/k)),  cos = cos(π·j·(t + ½)/S)
//
// over the positions t. With fewer than 5 sweeps g² = (1 − 1/S)/(1 − 1/k).
func GapScale(positions []int, sweeps int) float64 {
	k, s := float64(len(positions)), float64(sweeps)
	switch {
	case len(positions) == sweeps:
		return 1
	case sweeps < EnoughSweeps:
		return math.Sqrt((1 - 1/s) / (1 - 1/k))
	}
	b, spread := cosines(sweeps), 0.0
	for j := 1; j <= b; j++ {
		sum, squares := 0.0, 0.0
		for _, t := range positions {
			c := math.Cos(math.Pi * float64(j) * (float64(t) + 0.5) / s)
			sum, squares = sum+c, squares+c*c
		}
		spread += squares - sum*sum/k
	}
	return math.Sqrt(float64(b) * k / (2 * spread))
}
