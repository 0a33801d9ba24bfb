package store_test

import (
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
)

// rules adds rules to a tracker of which the newest have a version.
func (f *follow) rules(newest int) *store.Rules {
	f.Helper()
	r := &store.Rules{Brands: []byte(`{}`)}
	f.must(f.s.AddRules(f.t, r, newest, time.Now()))
	return r
}

// states are those of a tracker's rules, by version.
func (f *follow) states() (states []store.RulesState) {
	f.Helper()
	all, err := f.s.Rules(f.Context(), f.o.ID, f.t.ID)
	f.must(err)
	for _, r := range all {
		states = append(states, r.State)
	}
	return states
}

// Rules that are pending are added up when they take over, and by nobody else before.
func TestOnlyCurrentRulesAreToBeTallied(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		f.rules(0)
		sweep := f.start("one", 1, "2026-11", nil)
		f.work(`{}`)
		f.record()
		f.close(sweep)
		f.rules(1)
		left, err := s.RulesToTally(t.Context())
		if err != nil || len(left) != 1 || left[0].State != store.RulesCurrent {
			t.Errorf("%d rules are to be added up, %v; want the current ones alone", len(left), err)
		}
	})
}
