package stats

import (
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/mathext"
)

// z975 is the normal quantile of 0.975: all intervals here are of 95 %.
const z975 = 1.959963984540054

// studentQuantile is the quantile p, which is more than a half, of Student's t with df
// degrees of freedom, which need not be whole. One Newton step, x − (F(x) − p)/f(x), is
// put behind the library's inverse, which stops at about ten digits.
func studentQuantile(p, df float64) float64 {
	t := mathext.InvRegIncBeta(df/2, 0.5, 2*(1-p))
	x := math.Sqrt(df * (1 - t) / t)
	return x - (1-studentTail(x, df)-p)/studentDensity(x, df)
}

// studentTail is the probability that Student's t with df degrees lies above x, or
// below −x: for t = df/(x² + df), half of the regularised incomplete beta function.
func studentTail(x, df float64) float64 {
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(x*x+df))
}

// studentDensity is the density of Student's t with df degrees at x.
func studentDensity(x, df float64) float64 {
	above, _ := math.Lgamma((df + 1) / 2)
	below, _ := math.Lgamma(df / 2)
	return math.Exp(above - below - 0.5*math.Log(df) - 0.5*math.Log(math.Pi) - ((df+1)/2)*math.Log(1+x*x/df))
}

// remembered are the quantiles 0.975 of whole degrees of freedom, as bits; 0 is one that
// was not asked for yet. Thousands of intervals share a few of them, and one takes longer
// than all else of an interval.
var remembered [1024]atomic.Uint64

// student975 is the quantile 0.975.
func student975(df float64) float64 {
	at := int(df)
	if at >= len(remembered) || float64(at) != df {
		return studentQuantile(0.975, df)
	}
	if bits := remembered[at].Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	quantile := studentQuantile(0.975, df)
	remembered[at].Store(math.Float64bits(quantile))
	return quantile
}

// twoSidedP is the probability that Student's t with df degrees lies further from 0
// than x does.
func twoSidedP(x, df float64) float64 { return 2 * studentTail(x, df) }

// normalScore is the normal quantile of the probability that Student's t with df
// degrees has below x. Both are taken in the lower tail, where no digits are lost.
func normalScore(x, df float64) float64 {
	return math.Copysign(mathext.NormalQuantile(studentTail(x, df)), x)
}
