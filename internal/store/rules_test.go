package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
)

// rules adds rules to a tracker whose newest rules have the given version.
func (f *follow) rules(newest int) *analysing.Rules {
	f.Helper()
	r := &analysing.Rules{Brands: []byte(`{}`)}
	f.must(tracking.New(f.s).AddRules(f.t, r, newest, account.Operator(), time.Now()))
	return r
}

// states returns the states of a tracker's rules, by version.
func (f *follow) states() (states []analysing.RulesState) {
	f.Helper()
	all, err := analysing.New(f.s).Rules(f.Context(), f.o.ID, f.t.ID)
	f.must(err)
	for _, r := range all {
		states = append(states, r.State)
	}
	return states
}

// Pending rules count sweeps only when they become current.
func TestOnlyCurrentRulesCount(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		f.rules(0)
		sweep := f.start("one", 1, "2026-11", nil)
		f.work(`{}`)
		f.record()
		f.close(sweep)
		f.rules(1)
		left, err := analysing.New(s).RulesToCount(t.Context())
		if err != nil || len(left) != 1 || left[0].State != analysing.RulesCurrent {
			t.Errorf("%d rules have something to count, %v; want only the current ones", len(left), err)
		}
	})
}

// A slow node analyses answers by the rules that it knows. Its results are not stored if newer
// rules were added meanwhile, because these answers would never be analysed by the newer rules.
func TestAnswersAreNotRecordedByOldRules(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		f.rules(0)
		sweep := f.start("one", 1, "2026-11", nil)
		f.work(`{}`)
		followed, err := tracking.New(s).Followed(t.Context())
		f.must(err)
		tasks, last, err := tracking.New(s).Ended(t.Context(), followed[0])
		f.must(err)
		answer := tracking.AnswerOf(tasks[0], f.t.ID)
		answer.Outcome = earshot.OutcomeAnswered
		f.rules(1)
		if err := tracking.New(s).Record(followed[0], last, []*tracking.Answer{answer}, map[string]int{f.t.ID: 1}); !errors.Is(err, store.ErrChanged) {
			t.Errorf("recording by old rules: %v", err)
		}
		f.record()
		f.close(sweep) // all answers were recorded once
	})
}

// A tracker that is older than rules may have its first definition and answers.
func TestFirstRulesAreFinishedWhenTheAnswersAreAnalysed(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		sweep := f.start("one", 1, "2026-11", nil)
		f.work(`{}`)
		f.record()
		f.close(sweep)
		r := f.rules(0)
		if left, err := analysing.New(s).UnfinishedRules(t.Context()); err != nil || len(left) != 1 {
			t.Errorf("%d rules are unfinished, %v; want the new ones", len(left), err)
		}
		if left, err := tracking.New(s).Unanalysed(t.Context(), r, r.Cursor, 10); err != nil || len(left) != 1 {
			t.Errorf("%d answers must be analysed, %v", len(left), err)
		}
	})
}

// The first rules of a tracker may be replaced before all answers are analysed.
func TestReplacedRulesAreNotFinished(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		first := f.rules(0)
		f.must(analysing.New(s).FinishRules(f.rules(1), nil, time.Now()))
		f.must(analysing.New(s).FinishRules(first, nil, time.Now()))
		if states := f.states(); !slices.Equal(states, []analysing.RulesState{analysing.RulesOld, analysing.RulesCurrent}) {
			t.Errorf("the rules are %v", states)
		}
		if left, err := analysing.New(s).UnfinishedRules(t.Context()); len(left) > 0 || err != nil {
			t.Errorf("%d rules are unfinished, %v", len(left), err)
		}
	})
}

// A tracker may have a few manual sweeps at once. Starting the same one again is always possible.
func TestFewSweepsRunAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		start := func(slot string) (tracking.StartedSweep, error) {
			now := time.Now()
			return tracking.New(s).StartSweep(f.t, tracking.Sweep{
				ID: uuid.Must(uuid.NewV7()).String(), Slot: slot, State: earshot.SweepRunning, Version: f.t.Version, Month: "2026-11", DueAt: now, StartedAt: now, EndsAt: now,
			}, nil, nil, "", time.Time{}, nil, account.Operator(), now)
		}
		for _, slot := range []string{tracking.ManualSlot + "1", tracking.ManualSlot + "2", tracking.ManualSlot + "3", "2026-11-16T06:00 UTC", tracking.ManualSlot + "1"} {
			if _, err := start(slot); err != nil {
				t.Errorf("%s: %v", slot, err)
			}
		}
		if _, err := start(tracking.ManualSlot + "4"); !errors.Is(err, tracking.ErrSweepsRun) {
			t.Errorf("another one: %v", err)
		}
	})
}

func TestOldDefinitionsAreDeleted(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		f.must(tracking.New(s).ApplyTracker(f.t, 1, nil, nil, nil, nil, account.Operator(), time.Now()))
		f.start("one", 1, "2026-11", nil) // uses version 2
		f.must(tracking.New(s).ApplyTracker(f.t, 2, nil, nil, nil, nil, account.Operator(), time.Now()))
		f.must(tracking.New(s).ApplyTracker(f.t, 3, nil, nil, nil, nil, account.Operator(), time.Now()))
		for version, want := range map[int]bool{1: false, 2: true, 3: false, 4: true} {
			if _, err := tracking.New(s).TrackerVersion(t.Context(), o.ID, f.t.ID, version); (err == nil) != want {
				t.Errorf("version %d is there: %t, want %t (%v)", version, err == nil, want, err)
			}
		}
	})
}
