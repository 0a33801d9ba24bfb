package health

import (
	"math/rand/v2"
	"testing"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/store/outbound"
)

// TestFalseAlarmsStayWithinTheBudget simulates a year of 8 fields that do not change. With 30 fields,
// one alarm a year is expected.
func TestFalseAlarmsStayWithinTheBudget(t *testing.T) {
	t.Parallel()
	h := stats.Threshold(falseAlarms, 30, hoursPerYear, stats.DefaultK)
	r := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	for i := range 8 {
		d, rate := &detector{}, []float64{0.3, 0.9, 0.95, 0.98}[i%4]
		for hour := range int64(hoursPerYear) {
			c := outbound.FieldCount{Seen: minSeen}
			for range c.Seen {
				if r.Float64() < rate {
					c.Filled++
				}
			}
			before := d.health()
			d.step(hour+1, c, h)
			if d.health() == earshot.HealthAlarm && before != earshot.HealthAlarm {
				alarms++
			}
		}
	}
	if alarms > 2 {
		t.Errorf("%d false alarms, want at most 2", alarms)
	}
}
