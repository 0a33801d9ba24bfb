package purchase

import (
	"math"
	"testing"

	"github.com/google/uuid"
)

// TestDraw checks that jobs are chosen evenly, in the same way on every node, and that the
// choice for one purpose does not depend on the choice for another.
func TestDraw(t *testing.T) {
	t.Parallel()
	const jobs = 20_000
	chosen, both := 0, 0
	for range jobs {
		id := uuid.Must(uuid.NewV7()).String()
		first := draw(id, 0)
		if first < 0 || first >= 1 || first != draw(id, 0) {
			t.Fatalf("%s draws %v", id, first)
		}
		if first < 0.02 {
			chosen++
		}
		if first < 0.5 && draw(id, 1) < 0.5 {
			both++
		}
	}
	// Five standard deviations of a binomial distribution.
	if math.Abs(float64(chosen)-0.02*jobs) > 5*math.Sqrt(0.02*0.98*jobs) || math.Abs(float64(both)-0.25*jobs) > 5*math.Sqrt(0.25*0.75*jobs) {
		t.Errorf("%d and %d of %d jobs were chosen", chosen, both, jobs)
	}
}
