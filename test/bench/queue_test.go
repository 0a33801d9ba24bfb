package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/geo"
	"earshot/internal/job"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// database is what queues are measured on.
type database struct {
	name    string
	address func(b *testing.B) string
}

var databases = []database{
	{"sqlite", func(b *testing.B) string { b.Helper(); return filepath.Join(b.TempDir(), "earshot.db") }},
	{"postgres", func(b *testing.B) string { b.Helper(); return storetest.Postgres(b) }},
}

var citus = database{"citus", func(b *testing.B) string { b.Helper(); return storetest.Citus(b) }}

// taskCount is how many tasks a run works off; EARSHOT_BENCH_TASKS says otherwise.
func taskCount(b *testing.B) int {
	b.Helper()
	text := os.Getenv("EARSHOT_BENCH_TASKS")
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("EARSHOT_BENCH_TASKS is %q", text)
	}
	return n
}

// noop is a provider that answers at once.
type noop struct {
	left *atomic.Int64
	done chan struct{} // closed when none is left
}

var noopDefinition = provider.Definition{Name: "noop", TaskType: "NOOP", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}}}

func (noop) Definition() provider.Definition { return noopDefinition }

func (n noop) Decode(in *schema.Object) provider.Request {
	in.Ignore("prompt")
	in.Ignore("country")
	return n
}

func (noop) Bill() provider.Bill { return provider.Bill{provider.ItemBase: 1} }

func (noop) Locale() geo.Locale { return geo.Locale{} }

func (n noop) Ask(context.Context, *upstream.Session) (*provider.Outcome, error) {
	if n.left.Add(-1) == 0 {
		close(n.done)
	}
	return &provider.Outcome{Result: map[string]string{"text": "nothing"}, Bill: n.Bill()}, nil
}

// organizations makes accounts that no limit holds back.
func organizations(b *testing.B, s *store.Store, n int) []string {
	b.Helper()
	ids := make([]string, n)
	var group errgroup.Group
	group.SetLimit(64)
	for i := range ids {
		group.Go(func() error {
			o, err := orgs.New(s).CreateOrganization(orgs.NewOrganization{
				Name:       fmt.Sprintf("org-%d", i),
				Plan:       account.Plan{Name: "business", Slots: 10_000, CreditsPerCycle: 1 << 40, RequestsPerSecond: 1, QueueCapacity: 1 << 30},
				FirstGrant: 1 << 40, WebhookSecret: "none", Key: account.NewKey(),
			}, account.Operator(), time.Now())
			if err == nil {
				ids[i] = o.ID
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return ids
}

// fill queues n tasks of the provider that does nothing, spread over the organizations.
func fill(b *testing.B, s *store.Store, organizations []string, n int) {
	b.Helper()
	fillWith(b, s, noopDefinition.Name, organizations, n)
}

func fillWith(b *testing.B, s *store.Store, provider string, organizations []string, n int) {
	b.Helper()
	var group errgroup.Group
	group.SetLimit(256)
	each := min(500, max(1, n/len(organizations)))
	for i := 0; n > 0; i++ {
		size := min(n, each)
		n -= size
		group.Go(func() error {
			owner := organizations[i%len(organizations)]
			tasks := make([]store.Job, size)
			for k := range tasks {
				tasks[k] = store.Job{
					ID: uuid.Must(uuid.NewV7()).String(), Organization: owner, KeyID: "key", Provider: provider,
					Request: []byte(question), MaxCost: 5, Priority: 1, CreatedAt: time.Now(),
				}
			}
			_, err := s.Submit(owner, tasks, size, time.Now())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTasks works off a backlog by one node, from the first claim to the last
// settle: ledger, results and fair turns included.
func BenchmarkTasks(b *testing.B) {
	for _, db := range append(slices.Clone(databases), citus) {
		for _, n := range []int{1, 100, 10_000} {
			b.Run(fmt.Sprintf("%s/organizations=%d", db.name, n), func(b *testing.B) {
				for range b.N {
					workOff(b, db.address(b), n)
				}
			})
		}
	}
}

func workOff(b *testing.B, address string, n int) {
	b.Helper()
	b.StopTimer()
	s, tasks := storetest.Open(b, address), taskCount(b)
	owners := organizations(b, s, n)
	began := time.Now()
	fill(b, s, owners, tasks)
	b.ReportMetric(float64(tasks)/time.Since(began).Seconds(), "submits/s")
	cpu := cpuUsed(b, address)
	b.StartTimer()
	took := runAll(b, tasks, s)
	b.StopTimer()
	b.ReportMetric(float64(tasks)/took.Seconds(), "tasks/s")
	cpu.report(b, address, tasks)
	storetest.Audited(b, s)
}

// runAll works off as many tasks as are queued, by one node, and tells how long that takes.
func runAll(b *testing.B, tasks int, s *store.Store) time.Duration {
	b.Helper()
	all := noop{left: &atomic.Int64{}, done: make(chan struct{})}
	all.left.Store(int64(tasks))
	runner := newRunner(b, s, all)
	ctx, cancel := context.WithCancel(b.Context())
	var running errgroup.Group
	began := time.Now()
	running.Go(func() error { return runner.Run(ctx) })
	<-all.done
	runner.Drain()
	runner.Stop(b.Context()) // returns when the last is settled
	took := time.Since(began)
	cancel()
	if err := running.Wait(); err != nil {
		b.Fatal(err)
	}
	return took
}

// newRunner makes what works off the tasks of a node.
func newRunner(b *testing.B, s *store.Store, all provider.Provider) *job.Runner {
	b.Helper()
	catalogue, err := provider.NewCatalogue([]provider.Provider{all}, func(string) bool { return false }, nil)
	if err != nil {
		b.Fatal(err)
	}
	captures, err := capture.NewFolder(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	client, err := upstream.NewClient(upstream.Config{})
	if err != nil {
		b.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	desk := purchase.New(purchase.Config{
		Upstreams: map[string][]*upstream.Client{all.Definition().Name: {client}}, Catalogue: catalogue, Store: s, Captures: captures, Log: quiet,
	})
	runner, err := job.NewRunner(job.Config{
		Store: s, Orgs: orgs.New(s), Catalogue: catalogue, Desk: desk, Captures: captures, Host: "bench", Log: quiet, Metrics: job.NewMetrics(prometheus.NewRegistry()), Workers: 1000,
	})
	if err != nil {
		b.Fatal(err)
	}
	return runner
}

// BenchmarkClaim measures a claim of 100 tasks behind a small and a large backlog,
// which stays the same.
func BenchmarkClaim(b *testing.B) {
	for _, db := range databases {
		for _, backlog := range []int{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/queued=%d", db.name, backlog), func(b *testing.B) {
				s := storetest.Open(b, db.address(b))
				owners := organizations(b, s, 100)
				fill(b, s, owners, backlog)
				claims(b, s, owners)
			})
		}
	}
}

func claims(b *testing.B, s *store.Store, owners []string) {
	b.Helper()
	node, err := s.RegisterNode("bench", 1, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		started, _, err := s.Claim(b.Context(), node, store.ClaimLimits{Tasks: 100}, began)
		if err != nil || len(started) == 0 {
			b.Fatalf("claimed %d: %v", len(started), err)
		}
		times = append(times, time.Since(began))
		b.StopTimer()
		var group errgroup.Group
		for _, one := range started {
			group.Go(func() error {
				_, err := s.Settle(store.Settlement{Job: one, Status: earshot.StatusCompleted, Charge: 5, Attempts: 1}, time.Now())
				return err
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		fill(b, s, owners, len(started))
		b.StartTimer()
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-ms")
}
