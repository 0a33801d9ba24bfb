package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// z975 is the normal quantile of 0.975. All intervals are 95 % intervals.
const z975 = 1.959963984540054

// studentQuantile returns the quantile p > 0.5 of Student's t with df degrees of freedom,
// which need not be an integer. The library's inverse is exact to about ten digits, so one
// Newton step x − (F(x) − p)/f(x) follows.
func studentQuantile(p, df float64) float64 {
	t := mathext.InvRegIncBeta(df/2, 0.5, 2*(1-p))
	x := math.Sqrt(df * (1 - t) / t)
	return x - (1-studentTail(x, df)-p)/studentDensity(x, df)
}

// studentTail returns the probability that Student's t with df degrees is above |x|. It is
// half of the regularised incomplete beta function at df/(x² + df).
func studentTail(x, df float64) float64 {
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(x*x+df))
}

// studentDensity returns the density of Student's t with df degrees at x.
func studentDensity(x, df float64) float64 {
	above, _ := math.Lgamma((df + 1) / 2)
	below, _ := math.Lgamma(df / 2)
	return math.Exp(above - below - 0.5*math.Log(df) - 0.5*math.Log(math.Pi) - ((df+1)/2)*math.Log(1+x*x/df))
}

// quantileCache contains the 0.975 quantiles by degrees of freedom. Computing a quantile takes
// longer than the rest of an interval, and thousands of intervals share a few quantiles.
var quantileCache sync.Map

// student975 returns the 0.975 quantile of Student's t.
func student975(df float64) float64 {
	if known, ok := quantileCache.Load(df); ok {
		quantile, _ := known.(float64)
		return quantile
	}
	quantile := studentQuantile(0.975, df)
	if df == math.Trunc(df) { // other degrees are seldom used twice
		quantileCache.Store(df, quantile)
	}
	return quantile
}

// twoSidedP returns the two-sided p-value of a t statistic x with df degrees.
func twoSidedP(x, df float64) float64 { return 2 * studentTail(x, df) }

// normalScore returns Φ⁻¹(F(x)), where F is the distribution of Student's t with df degrees.
// It uses the lower tail, where no digits are lost.
func normalScore(x, df float64) float64 {
	return math.Copysign(mathext.NormalQuantile(studentTail(x, df)), x)
}
