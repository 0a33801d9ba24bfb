package store_test

import (
	"strings"
	"testing"

	"earshot/internal/store/storetest"
)

// A plan that reads the backlog is a hundred times slower, and shows only once
// there is one.
func TestClaimsAndSettlesLookUpRatherThanScan(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	o := storetest.Organization(t, s, 100, 1_000_000)
	for range 2 {
		submit(t, s, o, someTasks(o, 50)...)
	}
	if err := s.Exec(`ANALYZE jobs`); err != nil {
		t.Fatal(err)
	}
	start, takeOut, err := s.Plan(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	for what, plan := range map[string]struct{ text, want string }{
		"a claim finds tasks by their order": {start, "jobs_queued"},
		"a claim starts them by their id":    {start, "jobs_pkey"},
		"a settle finds its jobs by id":      {takeOut, "jobs_pkey"},
	} {
		if !strings.Contains(plan.text, "using "+plan.want) || strings.Contains(plan.text, "Seq Scan on jobs") {
			t.Errorf("it is not so that %s:\n%s", what, plan.text)
		}
	}
	if strings.Contains(start, "Sort") {
		t.Errorf("a claim sorts the backlog:\n%s", start)
	}
}
