package stats

import (
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"
)

// z975 is the normal quantile of 0.975: all intervals here are of 95 %.
const z975 = 1.959963984540054

// studentQuantile is the quantile p of Student's t with df degrees of freedom, which
// need not be whole. One Newton step, x − (F(x) − p)/f(x), is put behind the library's
// inverse, which stops at about ten digits.
func studentQuantile(p, df float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	x := t.Quantile(p)
	return x - (t.CDF(x)-p)/t.Prob(x)
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
func twoSidedP(x, df float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(x))
}

// normalScore is the normal quantile of the probability that Student's t with df
// degrees has below x. Both are taken in the lower tail, where no digits are lost.
func normalScore(x, df float64) float64 {
	below := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(x))
	return math.Copysign(distuv.UnitNormal.Quantile(below), x)
}
