package track_test

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// price is the maximum cost of every task.
const price = 5

// jobs replaces the job runner: the test itself claims and settles tasks.
type jobs struct{}

func (jobs) Price(provider.Definition, provider.Request) int64 { return price }
func (jobs) Wake()                                             {}

// world has two nodes on one database. The test sets their clock.
type world struct {
	*testing.T
	random       *rand.Rand
	store        *store.Store
	services     []*track.Service
	organization string
	node         string
	result       string                  // result of completed tasks
	ask          func(*store.Job) []byte // returns the result of a task; nil: result
	complete     bool                    // no task fails
	now          time.Time
}

func newWorld(t *testing.T, address string, now time.Time, options ...func(*track.Config)) *world {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &world{T: t, random: rand.New(rand.NewPCG(seed, 0)), store: storetest.OpenVirtual(t, address), now: now, result: `{"surface":"lab"}`}
	catalogue, err := provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	stores := []*store.Store{w.store, w.store}
	if store.Shared(address) {
		stores[1] = storetest.OpenVirtual(t, address)
	}
	for _, s := range stores {
		cfg := track.Config{Store: tracking.New(s), Catalogue: catalogue, Jobs: jobs{}, Planned: func() {}, Log: slog.New(slog.DiscardHandler)}
		for _, option := range options {
			option(&cfg)
		}
		w.services = append(w.services, track.New(cfg))
	}
	o, err := orgs.New(w.store).CreateOrganization(orgs.NewOrganization{
		Name: "tracked", Plan: account.Plan{Name: "wide", Slots: 100, CreditsPerCycle: 1 << 30, RequestsPerSecond: 1, QueueCapacity: 1000},
		FirstGrant: 1 << 30, WebhookSecret: account.NewWebhookSecret(), Key: account.NewKey(),
	}, account.Operator(), now)
	if err != nil {
		t.Fatal(err)
	}
	w.organization = o.ID
	if w.node, err = w.store.RegisterNode("test", 1, now); err != nil {
		t.Fatal(err)
	}
	return w
}

// apply applies a definition on a random node.
func (w *world) apply(name, text string) {
	w.Helper()
	if _, err := w.services[w.random.IntN(2)].Apply(w.Context(), w.organization, name, []byte(text), true, false, account.Operator(), w.now); err != nil {
		w.Fatal(err)
	}
}

func (w *world) setState(name string, state earshot.TrackerState) {
	w.Helper()
	if _, err := w.services[w.random.IntN(2)].SetState(w.Context(), w.organization, name, state, account.Operator(), w.now); err != nil {
		w.Fatal(err)
	}
}

// step runs a step on one node, on both in turn or on both at the same time, and then ends the
// queued tasks.
func (w *world) step() {
	w.Helper()
	first := w.random.IntN(2)
	switch w.random.IntN(4) {
	case 0:
		w.stepOf(first)
	case 1:
		w.stepOf(first)
		w.stepOf(1 - first)
	default:
		var both sync.WaitGroup
		for i := range w.services {
			both.Go(func() { w.stepOf(i) })
		}
		both.Wait()
	}
	w.work()
}

func (w *world) stepOf(i int) {
	if err := w.services[i].Step(w.Context(), w.now); err != nil {
		w.Errorf("step at %s: %v", w.now, err)
	}
}

// work ends all queued tasks. One in eight fails.
func (w *world) work() {
	w.Helper()
	for {
		started, _, err := w.store.Claim(w.Context(), w.node, store.ClaimLimits{Tasks: 100}, w.now)
		if err != nil {
			w.Fatal(err)
		}
		for _, job := range started {
			end := store.Settlement{Job: job, Status: earshot.StatusCompleted, Charge: price, Attempts: 1, Result: []byte(w.result)}
			if w.ask != nil {
				end.Result = w.ask(job)
			}
			if !w.complete && w.random.IntN(8) == 0 {
				end.Status, end.Charge, end.Result, end.Error = earshot.StatusFailed, 0, nil, &earshot.Error{Code: earshot.CodeUpstream}
			}
			if _, err := w.store.Settle(end, w.now); err != nil {
				w.Fatal(err)
			}
		}
		if len(started) == 0 {
			return
		}
	}
}

// run runs a sweep until it ends.
func (w *world) run(name string, repeat bool) {
	w.Helper()
	started, err := w.services[0].RunNow(w.Context(), w.organization, name, earshot.SweepRequest{Repeat: repeat}, account.Operator(), w.now)
	if err != nil {
		w.Fatal(err)
	}
	for state := started.Sweep.State; state == earshot.SweepRunning; {
		w.step()
		found, err := w.services[0].Sweep(w.Context(), w.organization, name, started.Sweep.ID)
		if err != nil {
			w.Fatal(err)
		}
		state = found.State
	}
}

// sweeps returns all sweeps of a tracker, the oldest first.
func (w *world) sweeps(name string) []*tracking.Sweep {
	w.Helper()
	t, err := tracking.New(w.store).Tracker(w.Context(), w.organization, name)
	if err != nil {
		w.Fatal(err)
	}
	all, err := tracking.New(w.store).Sweeps(w.Context(), t, "", "", 100_000)
	if err != nil {
		w.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b *tracking.Sweep) int { return a.DueAt.Compare(b.DueAt) })
	return all
}

// checkStepped checks that the change detectors have processed each sweep once.
func (w *world) checkStepped(name string, sweeps int) {
	w.Helper()
	t, err := tracking.New(w.store).Tracker(w.Context(), w.organization, name)
	if err != nil {
		w.Fatal(err)
	}
	for range sweeps {
		left, err := alerting.New(w.store).AwaitingDetection(w.Context(), 1)
		if err != nil {
			w.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		w.stepOf(w.random.IntN(2))
	}
	if watch, err := alerting.New(w.store).Watch(w.Context(), t); err != nil || watch.Steps != int64(sweeps) {
		w.Errorf("%s: %d sweeps have ended, and the state of the detectors is %+v, %v", name, sweeps, watch, err)
	}
}

// charged returns the charges of a tracker in the ledger.
func (w *world) charged(name string) (sum int64) {
	w.Helper()
	entries, err := w.store.Ledger(w.Context(), w.organization, store.LedgerFilter{Limit: 100_000})
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range entries {
		if e.Tracker == name {
			sum -= e.Credits
		}
	}
	return sum
}
