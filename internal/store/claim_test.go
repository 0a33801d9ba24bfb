package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// served returns the organizations that each node serves, of a hundred that were just served.
func served(nodes map[string]int) map[string][]string {
	waited, by := map[string]int64{}, map[string][]string{}
	for i := range 100 {
		waited[fmt.Sprintf("organization-%d", i)] = store.HomeTime - 1
	}
	for node := range nodes {
		by[node] = store.Chosen(node, nodes, store.ClaimLimits{Tasks: 1000}, waited)
	}
	return by
}

func TestEachNodeServesItsOwnOrganizations(t *testing.T) {
	t.Parallel()
	before, seen := served(map[string]int{"one": 100, "two": 100, "large": 400}), map[string]string{}
	for node, organizations := range before {
		for _, id := range organizations {
			if seen[id] != "" {
				t.Errorf("%s and %s serve %s", seen[id], node, id)
			}
			seen[id] = node
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 are served", len(seen))
	}
	if one, two, large := len(before["one"]), len(before["two"]), len(before["large"]); one < 8 || two < 8 || large < 50 {
		t.Errorf("nodes with 100, 100 and 400 workers serve %d, %d and %d of 100", one, two, large)
	}
	after := served(map[string]int{"one": 100, "two": 100})
	for _, node := range []string{"one", "two"} {
		for _, id := range before[node] {
			if !slices.Contains(after[node], id) {
				t.Errorf("when a third node left, %s moved away from %s", id, node)
			}
		}
	}
}

func TestANodeWithoutWorkersIsNoHome(t *testing.T) {
	t.Parallel()
	if all := served(map[string]int{"worker": 1, "api": 0})["worker"]; len(all) != 100 {
		t.Errorf("next to a node without workers, the other serves %d of 100", len(all))
	}
}

func TestOrganizationsDoNotWaitForABusyHome(t *testing.T) {
	t.Parallel()
	nodes := map[string]int{"here": 5, "there": 5}
	all := served(nodes)
	own, other, another := all["here"][0], all["there"][0], all["there"][1]
	for _, test := range []struct {
		name   string
		waited map[string]int64
		room   map[string]int
		want   []string
	}{
		{"it is left to its node", map[string]int64{own: 1, other: 5}, nil, []string{own}},
		{"it has waited too long", map[string]int64{own: 1, other: store.HomeTime}, nil, []string{other, own}},
		{"it has never been served", map[string]int64{own: store.HomeTime, other: time.Now().UnixMilli()}, nil, []string{other, own}},
		{"there is nothing else to do", map[string]int64{other: 1, another: 5}, nil, []string{another, other}},
		{"there is no room for others", map[string]int64{own: 5, other: 1}, map[string]int{other: 1}, []string{other}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limits := store.ClaimLimits{Tasks: 2}
			if test.room != nil {
				limits.Room = func(organization string) int { return test.room[organization] }
			}
			if diff := cmp.Diff(test.want, store.Chosen("here", nodes, limits, test.waited)); diff != "" {
				t.Errorf("others are chosen (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAHeartbeatReadsTheOtherNodes(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s, other := storetest.Open(t, address), storetest.Open(t, address)
	register := func(s *store.Store, workers int) string {
		t.Helper()
		id, err := s.RegisterNode("test", workers, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	beat := func(node string, want map[string]int) {
		t.Helper()
		if err := s.Beat(node, want[node]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Nodes()); diff != "" {
			t.Errorf("after a heartbeat others are known (-want +got):\n%s", diff)
		}
	}
	node, gone := register(s, 512), register(other, 10)
	beat(node, map[string]int{node: 512, gone: 10})
	beat(node, map[string]int{node: 0, gone: 10}) // it stops taking tasks
	if err := other.StopNode(gone); err != nil {
		t.Fatal(err)
	}
	beat(node, map[string]int{node: 512})
}

// A claim that waits for its writer serves the organizations whose turn it is after the wait.
func TestAClaimThatWaitsChoosesAgain(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s, other := storetest.Open(t, address), storetest.Open(t, address)
	node, faster := aNode(t, s), aNode(t, other)
	// Two organizations of one writer: one is busy, and the other was never served.
	busy, idle := storetest.Organization(t, s, 10, 1000), storetest.Organization(t, s, 10, 1000)
	for s.WriterFor(idle.ID) != s.WriterFor(busy.ID) {
		idle = storetest.Organization(t, s, 10, 1000)
	}
	submit(t, s, busy, someTasks(busy, 2)...)
	claimed(t, s, node, 1)
	submit(t, s, idle, aTask(idle, 1))

	full, release := s.Occupy(t, busy.ID)
	claims := make(chan []store.Job, 1)
	go func() { claims <- claimed(t, s, node, 1) }()
	full()
	if started := claimed(t, other, faster, 1); len(started) != 1 || started[0].Organization != idle.ID {
		t.Errorf("the other node started %v", started)
	}
	release()
	if started := <-claims; len(started) != 1 || started[0].Organization != busy.ID {
		t.Errorf("the claim that waited started %v", started)
	}
	storetest.Audited(t, s)
}

// A claim gets the slots of settlements that are committed with it, even if it was queued first
// or if one of the settlements is of a job that its node has lost.
func TestAClaimComesAfterSettlements(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		submit(t, s, o, someTasks(o, 3)...)
		running := claimed(t, s, node, 1)[0]
		lost := running
		lost.Node = aNode(t, s)

		full, release := s.Occupy(t, o.ID)
		claims := make(chan []store.Job, 1)
		go func() { claims <- claimed(t, s, node, 2) }()
		full()
		settled, refused := make(chan error, 1), make(chan error, 1)
		s.SettleLater(completed(lost, 5), time.Now(), func(_ *account.Organization, err error) { refused <- err })
		s.SettleLater(completed(running, 5), time.Now(), func(_ *account.Organization, err error) { settled <- err })
		release()

		if err := <-settled; err != nil {
			t.Error(err)
		}
		if err := <-refused; !errors.Is(err, store.ErrLost) {
			t.Errorf("the settlement of another node's job: %v", err)
		}
		if started := <-claims; len(started) != 2 {
			t.Errorf("%d tasks started on two slots", len(started))
		}
		storetest.Audited(t, s)
	})
}

// expectStarted fails the test unless a claim of n tasks starts exactly these, in this order.
func expectStarted(t *testing.T, s *store.Store, node string, n int, want ...store.Job) {
	t.Helper()
	if diff := cmp.Diff(ids(want), ids(claimed(t, s, node, n))); diff != "" {
		t.Errorf("others were started (-want +got):\n%s", diff)
	}
	storetest.Audited(t, s)
}

func TestATaskBeforeStartedOnesIsFound(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		late, tasks := aTask(o, 1), someTasks(o, 4) // late is the oldest task, but is queued last
		submit(t, s, o, tasks...)
		expectStarted(t, s, node, 2, tasks[:2]...)
		urgent := aTask(o, 9)
		submit(t, s, o, urgent)
		submit(t, s, o, late)
		expectStarted(t, s, node, 3, urgent, late, tasks[2])
		last := aTask(o, 1)
		submit(t, s, o, last)
		expectStarted(t, s, node, 10, tasks[3], last)
		expectStarted(t, s, node, 10)
	})
}

// A task that is queued in the same transaction as a claim is found by the next claim.
func TestATaskQueuedTogetherWithAClaimIsFound(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks, urgent := someTasks(o, 3), aTask(o, 9)
		submit(t, s, o, tasks...)
		full, release := s.Occupy(t, o.ID)
		started, submitted := make(chan []store.Job, 1), make(chan struct{})
		go func() { started <- claimed(t, s, node, 2) }()
		full()
		go func() {
			defer close(submitted)
			submit(t, s, o, urgent)
		}()
		s.AwaitWrites(o.ID, 2)
		release()
		if diff := cmp.Diff(ids(tasks[:2]), ids(<-started)); diff != "" {
			t.Errorf("others were started (-want +got):\n%s", diff)
		}
		<-submitted
		expectStarted(t, s, node, 2, urgent, tasks[2])
	})
}
