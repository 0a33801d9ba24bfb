package stats

import (
	"math"
	"slices"
)

// EnoughSweeps is the smallest number of sweeps for the long-run variance. With fewer, a
// number is provisional and a comparison too early.
const EnoughSweeps = 5

// Variance is an estimated variance of a mean, with its degrees of freedom.
type Variance struct {
	Value   float64
	Degrees float64
}

// LongRun returns the variance V of the mean of the S sweep means y, which are in the order
// of slots and treated as evenly spaced. With 5 or more sweeps it is the equally weighted
// cosine estimate of the long-run variance (Lazarus, Lewis, Stock and Watson 2018, "HAR
// Inference: Recommendations for Practice"):
//
//	B   = max(3, ⌊0.7·S^(2/3) + 0.5⌋)
//	Λ_j = √(2/S) · Σ_t (y_t − ȳ) · cos(π·j·(t + ½)/S)
//	V   = Σ_{j=1..B} Λ_j² ÷ B ÷ S, with B degrees of freedom
//
// With fewer sweeps it is the sample variance ÷ S with S − 1 degrees. With fewer than two
// sweeps it is 0.
func LongRun(y []float64) Variance {
	s := float64(len(y))
	if len(y) < 2 {
		return Variance{}
	}
	mean := Mean(y)
	if len(y) < EnoughSweeps {
		return Variance{SampleVariance(y) / s, s - 1}
	}
	// All angles π·j·(t + ½)/S are multiples, by j·(2t + 1), of a step of π/(2S). A full
	// turn has 4S steps.
	turn := make([]float64, 4*len(y))
	for step := range turn {
		turn[step] = math.Cos(math.Pi / 2 * float64(step) / s)
	}
	b := cosines(len(y))
	sum := 0.0
	for j := 1; j <= b; j++ {
		lambda, step := 0.0, j
		for _, value := range y {
			lambda += (value - mean) * turn[step]
			step = (step + 2*j) % len(turn)
		}
		sum += 2 / s * lambda * lambda
	}
	return Variance{sum / float64(b) / s, float64(b)}
}

// cosines returns B, the number of cosines for s sweeps.
func cosines(s int) int {
	return max(3, int(math.Floor(0.7*math.Pow(float64(s), 2.0/3)+0.5)))
}

// Mean returns the mean of y, or 0 if y is empty.
func Mean(y []float64) float64 {
	if len(y) == 0 {
		return 0
	}
	sum := 0.0
	for _, value := range y {
		sum += value
	}
	return sum / float64(len(y))
}

// MeanOrNil returns the mean of y, or nil if y is empty.
func MeanOrNil(y []float64) *float64 {
	if len(y) == 0 {
		return nil
	}
	return new(Mean(y))
}

// SampleVariance returns Σ (y − ȳ)² ÷ (S − 1), or 0 with fewer than two values.
func SampleVariance(y []float64) float64 {
	if len(y) < 2 {
		return 0
	}
	mean, sum := Mean(y), 0.0
	for _, value := range y {
		sum += (value - mean) * (value - mean)
	}
	return sum / float64(len(y)-1)
}

// Lag1 returns the correlation of neighbouring values,
//
//	Σ (y_t − ȳ)(y_{t+1} − ȳ) ÷ Σ (y_t − ȳ)²
//
// It returns false with fewer than three values or if all are equal. Above 0.5 the rerun
// interval is too narrow, so callers should warn.
func Lag1(y []float64) (float64, bool) {
	if len(y) < 3 || slices.Min(y) == slices.Max(y) {
		return 0, false
	}
	mean := Mean(y)
	products, squares := 0.0, 0.0
	for t, value := range y {
		squares += (value - mean) * (value - mean)
		if t > 0 {
			products += (value - mean) * (y[t-1] - mean)
		}
	}
	return products / squares, true
}
