package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// follow is a tracker, with methods that do the work of nodes.
type follow struct {
	*testing.T
	s    *store.Store
	o    *account.Organization
	node string
	t    *tracking.Tracker
}

// aTracker stores a tracker that keeps answers for keepDays days.
func aTracker(t *testing.T, s *store.Store, o *account.Organization, node string, keepDays int) *follow {
	t.Helper()
	now := time.Now()
	one := &tracking.Tracker{
		Organization: o.ID, ID: uuid.Must(uuid.NewV7()).String(), Name: "shoes", State: earshot.TrackerActive, Definition: []byte(`{}`),
		KeepDays: keepDays, CreatedAt: now, UpdatedAt: now,
	}
	if err := tracking.New(s).ApplyTracker(one, 0, nil, nil, nil, nil, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return &follow{t, s, o, node, one}
}

func (f *follow) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// start starts a sweep and submits its n tasks.
func (f *follow) start(slot string, n int, month string, ceiling *int64) *tracking.Sweep {
	f.Helper()
	now := time.Now()
	started, err := tracking.New(f.s).StartSweep(f.t, tracking.Sweep{
		ID: uuid.Must(uuid.NewV7()).String(), Slot: slot, State: earshot.SweepRunning, Version: f.t.Version, Month: month,
		DueAt: now, StartedAt: now, EndsAt: now.Add(time.Hour), Planned: n, MaxCost: int64(5 * n),
	}, ceiling, nil, "", time.Time{}, nil, account.Operator(), now)
	f.must(err)
	if started.State == earshot.SweepRunning {
		f.submit(&started.Sweep, n)
	}
	return &started.Sweep
}

func (f *follow) submit(sweep *tracking.Sweep, n int) {
	f.Helper()
	tasks := someTasks(f.o, n)
	var answers []*tracking.Answer
	for i := range tasks {
		tasks[i].Tracker = f.t.Name
		answers = append(answers, &tracking.Answer{
			Organization: f.o.ID, Tracker: f.t.ID, ID: tasks[i].ID, Sweep: sweep.ID, Prompt: sweep.Submitted + i + 1, Target: 1, Sample: 1,
			Outcome: earshot.OutcomePending, AskedAt: time.Now(),
		})
	}
	submitted, err := tracking.New(f.s).SubmitSweep(sweep, tasks, answers, time.Now())
	f.must(err)
	if submitted != n {
		f.Fatalf("%d of %d tasks were submitted", submitted, n)
	}
}

// work ends all tasks, with the given results in turn.
func (f *follow) work(results ...string) {
	f.Helper()
	for i := 0; ; {
		started, _, err := f.s.Claim(f.Context(), f.node, store.ClaimLimits{Tasks: 100}, time.Now())
		f.must(err)
		var all errgroup.Group
		for _, job := range started {
			end := completed(*job, 5)
			end.Result = []byte(results[i%len(results)])
			i++
			all.Go(func() error {
				_, err := f.s.Settle(end, time.Now())
				return err
			})
		}
		f.must(all.Wait())
		if len(started) == 0 {
			return
		}
	}
}

// record stores the answers of ended tasks.
func (f *follow) record() {
	f.Helper()
	followed, err := tracking.New(f.s).Followed(f.Context())
	f.must(err)
	for _, one := range followed {
		tasks, last, err := tracking.New(f.s).Ended(f.Context(), one)
		f.must(err)
		trackers, err := tracking.New(f.s).RunningTrackers(f.Context(), one.Organization)
		f.must(err)
		var answers []*tracking.Answer
		for _, task := range tasks {
			for _, id := range trackers[task.Tracker] {
				a := tracking.AnswerOf(task, id)
				a.Outcome = earshot.OutcomeAnswered
				answers = append(answers, a)
			}
		}
		f.must(tracking.New(f.s).Record(one, last, answers, map[string]int{f.t.ID: len(f.states())}))
	}
}

// close closes a sweep as a node does whose clock reading is old.
func (f *follow) close(sweep *tracking.Sweep) {
	f.Helper()
	begun := sweep.StartedAt.Add(-time.Minute)
	closed, err := tracking.New(f.s).CloseSweep(sweep, earshot.SweepClosed, nil, begun)
	f.must(err)
	if !closed {
		f.Errorf("sweep %s is not closed", sweep.Slot)
	}
	stored, err := tracking.New(f.s).Sweep(f.Context(), f.t, sweep.ID)
	f.must(err)
	if sweep.Planned > 0 && stored.ClosedAt.Equal(begun) {
		f.Errorf("sweep %s is closed at %v, before its last answer came", sweep.Slot, stored.ClosedAt)
	}
}

// expect compares the numbers of stored rows with the expected ones, and audits the store.
func (f *follow) expect(what string, answers, bodies, sweeps, trackers int) {
	f.Helper()
	got, err := f.s.Counts(f.Context(), "answers", "bodies", "sweeps", "trackers")
	f.must(err)
	if want := []int{answers, bodies, sweeps, trackers}; fmt.Sprint(got) != fmt.Sprint(want) {
		f.Errorf("%s there are %v answers, bodies, sweeps and trackers, want %v", what, got, want)
	}
	storetest.Audited(f.T, f.s)
}

// tidy deletes expired rows and returns the number of each call.
func (f *follow) tidy(now time.Time) (steps []int) {
	f.Helper()
	for {
		n, err := tracking.New(f.s).DeleteTracked(f.Context(), now)
		f.must(err)
		if n == 0 {
			return steps
		}
		steps = append(steps, n)
		storetest.Audited(f.T, f.s)
	}
}

func TestAnswersAndResultsAreDeletedAfterTheirRetention(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 100_000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 1)
		f.must(orgs.New(s).SetPlan(o.ID, account.Plan{Name: "wide", Slots: 100, CreditsPerCycle: 1000, RequestsPerSecond: 1000, QueueCapacity: 2000}, account.Operator(), time.Now()))
		first := f.start("one", 600, "2026-11", nil)
		f.work(`{"text":"the same"}`, `{"text":"another"}`, `{"text":"third"}`)
		f.record()
		f.record() // more answers than one call records
		f.close(first)
		f.expect("after a sweep", 600, 3, 1, 1)
		between := time.Now()
		later := f.start("two", 2, "2026-11", nil)
		f.work(`{"text":"the same"}`)
		f.record()
		f.close(later)
		f.expect("after another", 602, 3, 2, 1)

		if steps := f.tidy(between.AddDate(0, 0, 1)); fmt.Sprint(steps) != "[600]" {
			t.Errorf("calls deleted %v answers", steps)
		}
		f.expect("when the first is expired", 2, 1, 2, 1) // the sweep still counts against the month
		f.tidy(time.Now().AddDate(0, 0, 2))
		f.expect("when both are", 0, 0, 2, 1)
		f.tidy(time.Now().AddDate(0, 0, 63))
		f.expect("after two months", 0, 0, 0, 1)
	})
}

func TestASweepStaysAsLongAsItHasAnswers(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 70)
		sweep := f.start("one", 3, "2026-11", nil)
		f.work(`{}`)
		f.record()
		f.close(sweep)
		f.must(s.Exec(`UPDATE sweeps SET due_at = 0, id = $1`, backdated(sweep.ID, 28*24*time.Hour)))
		f.must(s.Exec(`UPDATE answers SET sweep = $1`, backdated(sweep.ID, 28*24*time.Hour)))
		f.tidy(time.Now().AddDate(0, 0, 60))
		f.expect("when the sweep is past its time", 3, 1, 1, 1)
		f.tidy(time.Now().AddDate(0, 0, 71))
		f.expect("when its answers are", 0, 0, 0, 1)
	})
}

func TestAShortRetentionDoesNotRaiseTheCeiling(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 1)
		ceiling := int64(15)
		sweep := f.start("one", 2, "2026-11", &ceiling)
		f.work(`{}`)
		f.record()
		f.close(sweep)
		f.tidy(time.Now().AddDate(0, 0, 20))
		if again := f.start("two", 2, "2026-11", &ceiling); again.State != earshot.SweepSkipped {
			t.Errorf("a sweep of 10 credits after one of 10 is %s under a ceiling of 15", again.State)
		}
		f.t.KeepDays = 400 // does not restore deleted answers
		f.must(tracking.New(s).ApplyTracker(f.t, f.t.Version, nil, nil, nil, nil, account.Operator(), time.Now()))
		storetest.Audited(t, s)
	})
}

func TestATrackerIsDeletedWhileItsTasksRun(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		sweep := f.start("one", 5, "2026-11", nil)
		running := claimed(t, s, node, 2)
		f.must(tracking.New(s).DeleteTracker(t.Context(), o.ID, "shoes", account.Operator(), time.Now()))
		f.expect("while two tasks run", 5, 0, 1, 1)
		if queued := reload(t, s, o.ID, time.Now()).Queued; queued != 0 {
			t.Errorf("%d tasks are still queued", queued)
		}
		f.tidy(time.Now())
		f.expect("as long as they do", 2, 0, 1, 1)
		if n, err := tracking.New(s).SubmitSweep(&tracking.Sweep{Organization: o.ID, Tracker: f.t.ID, ID: sweep.ID, Submitted: 5}, someTasks(o, 1), []*tracking.Answer{{}}, time.Now()); n != 0 || err != nil {
			t.Errorf("%d tasks of a sweep that was canceled are taken: %v", n, err)
		}

		other := aTracker(t, s, o, node, 400) // with the same name, which is free
		second := other.start("one", 1, "2026-11", nil)
		for _, job := range running {
			settle(t, s, completed(job, 5), time.Now())
		}
		other.work(`{}`)
		f.record()
		f.expect("when they have ended", 3, 1, 2, 2)
		for _, one := range []struct {
			t     *tracking.Tracker
			sweep *tracking.Sweep
			want  string
		}{{f.t, sweep, "2 3 10"}, {other.t, second, "1 0 5"}} {
			got, err := tracking.New(s).Sweep(t.Context(), one.t, one.sweep.ID)
			f.must(err)
			if counts := fmt.Sprint(got.Answered, got.Missing, got.Charged); counts != one.want {
				t.Errorf("answered, missing and charged are %s, want %s", counts, one.want)
			}
		}
		f.close(sweep)
		f.tidy(time.Now())
		f.expect("in the end", 1, 1, 1, 1)
		other.close(second)
		f.must(tracking.New(s).DeleteTracker(t.Context(), o.ID, "shoes", account.Operator(), time.Now()))
		f.tidy(time.Now())
		f.expect("when the other is deleted", 0, 0, 0, 0)
	})
}

func TestAClearedQueueLeavesAnswersMissing(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		sweep := f.start("one", 5, "2026-11", nil)
		running := claimed(t, s, node, 2)
		if n, err := s.Clear(o.ID, account.Operator(), time.Now()); n != 3 || err != nil {
			t.Fatalf("%d tasks were cleared: %v", n, err)
		}
		for i, want := range []int{3, 0} {
			if n, err := tracking.New(s).RecordLost(t.Context(), sweep, time.Now()); n != want || err != nil {
				t.Errorf("look %d finds %d lost tasks, want %d: %v", i, n, want, err)
			}
		}
		if closed, err := tracking.New(s).CloseSweep(sweep, earshot.SweepClosed, nil, time.Now()); closed || err != nil {
			t.Errorf("closed while two tasks run: %t, %v", closed, err)
		}
		settle(t, s, completed(running[0], 5), time.Now())
		settle(t, s, completed(running[1], 5), time.Now())

		// Tasks that are not recorded are not deleted, however old they are.
		future := time.Now().Add(48 * time.Hour)
		if n, err := s.DeleteFinished(t.Context(), future, future); n != 0 || err != nil {
			t.Errorf("%d tasks that are not recorded were deleted: %v", n, err)
		}
		f.record()
		if n, err := s.DeleteFinished(t.Context(), future, future); n != 2 || err != nil {
			t.Errorf("%d tasks that are recorded were deleted: %v", n, err)
		}
		f.close(sweep)
		reasons, err := tracking.New(s).MissingReasons(t.Context(), sweep)
		f.must(err)
		if fmt.Sprint(reasons) != "[{canceled 3}]" {
			t.Errorf("missing are %v", reasons)
		}
		f.expect("in the end", 5, 0, 1, 1)
	})
}

// backdated returns an id with an earlier time.
func backdated(id string, by time.Duration) string {
	parsed := uuid.MustParse(id)
	at := time.Unix(parsed.Time().UnixTime()).Add(-by)
	early := uuid.MustParse(store.FirstID(at))
	copy(parsed[:6], early[:6])
	return parsed.String()
}

// The list of trackers does not read the texts that it does not show.
func TestTrackersAreListedWithoutTheirPrompts(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o := storetest.Organization(t, s, 1, 0)
		f := aTracker(t, s, o, "", 400)
		for definition, want := range map[string]string{
			`{"prompts":[{"text":"a long text"},{"text":"another"}],"brands":[{"name":"Kestrin"},{"name":"Ollaro","own":true},{"name":"Sole","own":true}],"targets":[{"provider":"p","country":"US"}],"samples":3}`: "2 3 Ollaro true",
			`{"prompts":[{"text":"one"}],"brands":[{"name":"Kestrin"},{"name":"Ollaro","own":false}],"targets":[]}`:                                                                                                 "1 2 Kestrin false",
			`{"prompts":[{"text":"one"}],"targets":[]}`: "1 0 <nil> false",
		} {
			f.t.Definition = []byte(definition)
			f.must(tracking.New(s).ApplyTracker(f.t, f.t.Version, nil, nil, nil, nil, account.Operator(), time.Now()))
			all, err := tracking.New(s).TrackerBriefs(t.Context(), o.ID)
			f.must(err)
			if len(all) != 1 || all[0].Name != "shoes" || all[0].KeepDays != 400 {
				t.Fatalf("the list is %+v", all)
			}
			lead := "<nil>"
			if all[0].Lead != nil {
				lead = *all[0].Lead
			}
			if got := fmt.Sprint(all[0].Prompts, all[0].Brands, " ", lead, " ", all[0].LeadOwn); got != want {
				t.Errorf("the tracker has %q instead of %q", got, want)
			}
			if text := string(all[0].Definition); strings.Contains(text, "text") || strings.Contains(text, "Ollaro") || !strings.Contains(text, "targets") {
				t.Errorf("the definition contains %s", text)
			}
		}
	})
}

func TestTheListOfTrackersHasOpenAlertsAndCoverage(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 400)
		list := func(alerts int, coverage string) {
			t.Helper()
			all, err := tracking.New(s).TrackerBriefs(t.Context(), o.ID)
			f.must(err)
			if got, err := json.Marshal(all[0].Coverage); err != nil || len(all) != 1 || all[0].OpenAlerts != alerts || string(got) != coverage {
				t.Errorf("%d trackers, %d alerts, coverage %s, %v", len(all), all[0].OpenAlerts, got, err)
			}
		}
		list(0, "null")
		for i := range 8 {
			sweep := f.start(fmt.Sprint(i), 2, "2026-11", nil)
			f.work(`{}`)
			f.record()
			f.close(sweep)
			if i != 6 { // the first sweep no longer counts in the end
				f.must(s.Exec(`UPDATE sweeps SET answered = 1, missing = 1 WHERE id = $1`, sweep.ID))
			}
		}
		f.start("running", 2, "2026-11", nil)
		for i, acknowledged := range []any{nil, nil, 1} {
			f.must(s.Exec(`INSERT INTO alerts (organization, tracker, id, kind, subject, sweep, raised_at, acknowledged_at, content) VALUES ($1, $2, $3, 'shift', $4, $3, 1, $5, '{}')`,
				o.ID, f.t.ID, store.NewID(), fmt.Sprint(i), acknowledged))
		}
		list(2, "0.5714285714285714")
	})
}
