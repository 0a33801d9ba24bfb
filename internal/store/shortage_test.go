package store_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// claim claims tasks until there are none, as a node does, and expects want tasks to start.
func claim(t *testing.T, s *store.Store, node, when string, want int) (all []store.Job) {
	t.Helper()
	for range 5 {
		started, handled, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 10}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, values(started)...)
		if handled == 0 {
			if len(all) != want {
				t.Errorf("%s: %d tasks started, want %d", when, len(all), want)
			}
			return all
		}
	}
	t.Fatalf("%s: claims report again and again that there may be more", when)
	return nil
}

func TestATaskThatCannotBePaidFailsWhenItsTurnComes(t *testing.T) {
	t.Parallel()
	onEach(t, 10, 12, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks := someTasks(o, 4)
		tasks[3].WebhookURL = new("https://hooks.example.com/x")
		submit(t, s, o, tasks...)
		started := claim(t, s, node, "with credits for two", 2)
		if waits, err := s.Task(t.Context(), o.ID, tasks[2].ID); err != nil || waits.Status != earshot.StatusQueued || waits.Attempts != 0 || !waits.StartedAt.IsZero() || waits.Node != "" {
			t.Fatalf("the third is %+v, %v", waits, err)
		}
		storetest.Audited(t, s)
		settle(t, s, completed(started[0], 5), time.Now())
		claim(t, s, node, "with 5 of 7 credits held", 0)
		settle(t, s, completed(started[1], 5), time.Now())
		claim(t, s, node, "with 2 credits left", 0)
		failed, err := s.Task(t.Context(), o.ID, tasks[3].ID)
		if err != nil || failed.Status != earshot.StatusFailed || *failed.Charged != 0 || failed.Attempts != 0 || !failed.StartedAt.IsZero() {
			t.Fatalf("the last is %+v, %v", failed, err)
		}
		if !strings.Contains(string(failed.Error), `"INSUFFICIENT_CREDITS"`) || failed.Delivery == nil || failed.Delivery.DueAt.IsZero() {
			t.Errorf("it failed with %s, and its webhook is %+v", failed.Error, failed.Delivery)
		}
		storetest.Audited(t, s)
	})
}

// A task that lacks only held credits starts as soon as they are released, before the tasks behind it.
func TestATaskWaitsForHeldCredits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		key  func(t *testing.T, s *store.Store, o *account.Organization) string
		mine int64 // credits of the organization
	}{
		{"of the balance", func(*testing.T, *store.Store, *account.Organization) string { return "key" }, 9},
		{"of the ceiling of its key", func(t *testing.T, s *store.Store, o *account.Organization) string {
			t.Helper()
			return limitedKey(t, s, o, 9, 0, time.Now())
		}, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEach(t, 10, test.mine, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
				key := test.key(t, s, o)
				call := aJob(o, node, 7)
				call.KeyID = key
				begin(t, s, call)
				tasks := someTasks(o, 2)
				tasks[0].KeyID, tasks[1].KeyID, tasks[1].MaxCost = key, key, 2
				submit(t, s, o, tasks...)
				for range 3 {
					claim(t, s, node, "while a call holds the credits", 0)
				}
				storetest.Audited(t, s)
				settle(t, s, failed(call), time.Now())
				if started := claim(t, s, node, "when they are given back", 2); !slices.Equal(ids(started), ids(tasks)) {
					t.Errorf("%v started, want %v", ids(started), ids(tasks))
				}
				storetest.Audited(t, s)
			})
		})
	}
}

// A change of the organization's row makes a claim examine a queue again that it has skipped.
func TestAClaimLooksAgainWhenSomethingChanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(t *testing.T, s *store.Store, o *account.Organization)
	}{
		{"credits were granted", func(t *testing.T, s *store.Store, o *account.Organization) {
			t.Helper()
			if _, err := orgs.New(s).Grant(o.ID, 10, account.Operator(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}},
		{"a cheaper task comes first", func(t *testing.T, s *store.Store, o *account.Organization) {
			t.Helper()
			urgent := aTask(o, 9)
			urgent.MaxCost = 2
			submit(t, s, o, urgent)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEach(t, 10, 9, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
				begin(t, s, aJob(o, node, 7))
				submit(t, s, o, aTask(o, 1))
				claim(t, s, node, "while a call holds the credits", 0)
				test.change(t, s, o)
				claim(t, s, node, "then", 1)
				storetest.Audited(t, s)
			})
		})
	}
}

// An organization whose next task waits for credits is not claimed repeatedly and leaves its turns to others.
func TestAnOrganizationThatWaitsForCreditsTakesNoTurns(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		node := aNode(t, s)
		var waiting []string
		for range 3 {
			o := storetest.Organization(t, s, 10, 9)
			begin(t, s, aJob(o, node, 7))
			submit(t, s, o, aTask(o, 1))
			waiting = append(waiting, o.ID)
		}
		claim(t, s, node, "while all wait", 0)
		s.RememberShortages()
		turns := func() (all []int64) {
			for _, id := range waiting {
				all = append(all, s.ServedAt(t, id))
			}
			return all
		}
		before := turns()
		other := storetest.Organization(t, s, 100, 1000)
		submit(t, s, other, someTasks(other, 20)...)
		for range 20 {
			if started := claimed(t, s, node, 1); len(started) != 1 {
				t.Fatalf("%d tasks started for one worker", len(started))
			}
		}
		if diff := cmp.Diff(before, turns()); diff != "" {
			t.Errorf("waiting organizations were served (-before +after):\n%s", diff)
		}
		storetest.Audited(t, s)
	})
}

// TestNodesNeverSpendMoreThanTheBalance lets two nodes run tasks with few credits. Every third task
// fails. Only tasks that the balance does not cover may fail for lack of credits.
func TestNodesNeverSpendMoreThanTheBalance(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), nil}
		if stores[1] = stores[0]; store.Shared(address) {
			stores[1] = storetest.Open(t, address)
		}
		const credits, tasks = 203, 90
		s := stores[0]
		o := storetest.Organization(t, s, 20, credits)
		submit(t, s, o, someTasks(o, tasks)...)
		var completions, failures atomic.Int64
		var group errgroup.Group
		for i := range 4 {
			s, node := stores[i%2], aNode(t, stores[0])
			group.Go(func() error {
				for {
					started, _, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 7}, time.Now())
					if err != nil {
						return err
					}
					if o, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now()); err != nil || o.Queued+o.Running == 0 {
						return err
					}
					for j, job := range started {
						end := completed(*job, 5)
						if j%3 == 2 {
							end = failed(*job)
							failures.Add(1)
						} else {
							completions.Add(1)
						}
						if _, err := s.Settle(end, time.Now()); err != nil {
							return err
						}
					}
				}
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		after, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
		if err != nil || after.Balance != credits-5*completions.Load() || after.Held != 0 || after.Queued != 0 || after.Running != 0 {
			t.Errorf("after %d completions: %+v, %v", completions.Load(), after, err)
		}
		unpaid := tasks - completions.Load() - failures.Load()
		if unpaid > 0 && after.Balance >= 5 {
			t.Errorf("%d tasks failed for lack of credits, and %d credits are left", unpaid, after.Balance)
		}
		storetest.Audited(t, s)
	})
}
