package tracking_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

func TestDefinitionsAreLimitedTogether(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, now := storetest.Organization(t, s, 10, 1000), time.Now()
		apply := func(name string, before, size int) error {
			frame := len(`{"title":""}`)
			return tracking.New(s).ApplyTracker(&tracking.Tracker{
				Organization: o.ID, ID: uuid.Must(uuid.NewV7()).String(), Name: name, State: earshot.TrackerPaused, CreatedAt: now, UpdatedAt: now,
				Definition: slices.Concat([]byte(`{"title":"`), bytes.Repeat([]byte("x"), size-frame), []byte(`"}`)),
			}, before, nil, nil, nil, nil, account.Operator(), now)
		}
		if err := apply("shoes", 0, tracking.MaxDefinitions-20); err != nil {
			t.Fatal(err)
		}
		if err := apply("boots", 0, 21); earshot.ErrorCode(err) != earshot.CodeConflict {
			t.Errorf("one byte too many: %v", err)
		}
		if err := apply("boots", 0, 20); err != nil {
			t.Errorf("as much as is allowed: %v", err)
		}
	})
}

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
