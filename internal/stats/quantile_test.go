package stats

import (
	"math"
	"testing"
)

// Values to 16 digits from closed forms: df 1 is tan(π(p − ½)), df 2 is
// (2p − 1)·√(2/(4p(1 − p))); the others from published tables.
func TestStudentQuantiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ p, df, want float64 }{
		{0.975, 1, math.Tan(math.Pi * 0.475)},
		{0.80, 1, math.Tan(math.Pi * 0.3)},
		{0.975, 2, 0.95 * math.Sqrt(2/(4*0.975*0.025))},
		{0.975, 3, 3.182446305284263},
		{0.975, 9, 2.262157162798205},
		{0.975, 30, 2.042272456301238},
	} {
		if got := studentQuantile(test.p, test.df); math.Abs(got-test.want) > 1e-12*test.want {
			t.Errorf("t(%v, %v) is %.16g, want %.16g", test.p, test.df, got, test.want)
		}
	}
	if got := studentQuantile(0.975, 1e7); math.Abs(got-z975) > 1e-6 {
		t.Errorf("with many degrees it is %v, want nearly %v", got, z975)
	}
}

func TestNormalScores(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0.1, 1, 3, 30, 1e6} {
		up, down := normalScore(x, 9), normalScore(-x, 9)
		if up != -down || up <= 0 {
			t.Errorf("the scores of ±%v are %v and %v", x, up, down)
		}
	}
	if got := normalScore(studentQuantile(0.975, 12), 12); math.Abs(got-z975) > 1e-12 {
		t.Errorf("the score of the quantile 0.975 is %v", got)
	}
	if got := normalScore(0, 9); got != 0 {
		t.Errorf("the score of 0 is %v", got)
	}
}
