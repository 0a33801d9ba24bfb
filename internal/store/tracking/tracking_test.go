package tracking_test

import (
	"strings"
	"testing"

	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// Before PostgreSQL has statistics of a table, it takes every index for equally good.
func TestAnswersAreFoundByTheirIDs(t *testing.T) {
	t.Parallel()
	s := storetest.OpenVirtual(t, storetest.FreshPostgres(t))
	o := storetest.Organization(t, s, 10, 1000)
	plans, err := tracking.New(s).AnswerPlans(t.Context(), &tracking.Answer{Organization: o.ID, Tracker: o.ID, ID: o.ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range plans {
		if !strings.Contains(plan, "answers_pkey") || strings.Contains(plan, "Filter: (id") {
			t.Errorf("answers are found by\n%s", plan)
		}
	}
}
