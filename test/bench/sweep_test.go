package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// sweepTasks is how many questions a sweep asks.
const sweepTasks = 8000

// fixedPrice stands for the runner of jobs.
type fixedPrice struct{}

func (fixedPrice) Price(provider.Definition, provider.Request) int64 { return 5 }
func (fixedPrice) Wake()                                             {}

// swept is an organization with trackers.
type swept struct {
	*testing.B
	store        *store.Store
	service      *track.Service
	organization string
	node         string
}

func newSwept(b *testing.B, address string) *swept {
	b.Helper()
	w := &swept{B: b, store: storetest.Open(b, address)}
	w.organization = organizations(b, w.store, 1)[0]
	catalogue, err := provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}}, func(string) bool { return false }, nil)
	w.must(err)
	w.service = track.New(track.Config{Store: tracking.New(w.store), Catalogue: catalogue, Jobs: fixedPrice{}, Planned: func() {}, Log: slog.New(slog.DiscardHandler)})
	w.node, err = w.store.RegisterNode("bench", 1, time.Now())
	w.must(err)
	return w
}

func (w *swept) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// apply makes a tracker of so many questions, on two targets.
func (w *swept) apply(name string, tasks int) {
	w.Helper()
	definition := earshot.TrackerDefinition{Targets: []earshot.Target{{Provider: "chatassistant", Country: "US"}, {Provider: "chatassistant", Country: "DE"}}}
	for i := range tasks / 2 {
		definition.Prompts = append(definition.Prompts, earshot.TrackedPrompt{Text: fmt.Sprintf("best running shoes for runner %d", i)})
	}
	text, err := json.Marshal(definition)
	w.must(err)
	_, err = w.service.Apply(w.Context(), w.organization, name, text, false, false, account.Operator(), time.Now())
	w.must(err)
}

// start runs a sweep by hand and submits all of it.
func (w *swept) start(name string) {
	w.Helper()
	_, err := w.service.RunNow(w.Context(), w.organization, name, earshot.SweepRequest{}, account.Operator(), time.Now())
	w.must(err)
	w.must(w.service.Step(w.Context(), time.Now()))
}

// settle works off n tasks as many workers would, with a result of 2 KB each, and tells
// how many a second.
func (w *swept) settle(n int) (rate float64) {
	w.Helper()
	began := time.Now()
	var workers errgroup.Group
	workers.SetLimit(64)
	for done := 0; done < n; {
		started, _, err := w.store.Claim(w.Context(), w.node, store.ClaimLimits{Tasks: 500}, time.Now())
		w.must(err)
		done += len(started)
		for _, job := range started {
			workers.Go(func() error {
				result := fmt.Sprintf(`{"surface":"lab","model":"m","id":%q,"text":%q}`, job.ID, strings.Repeat(job.ID[:8]+" shoes that last ", 80))
				_, err := w.store.Settle(store.Settlement{Job: job, Status: earshot.StatusCompleted, Charge: 5, Attempts: 1, Result: []byte(result)}, time.Now())
				return err
			})
		}
	}
	w.must(workers.Wait())
	return float64(n) / time.Since(began).Seconds()
}

// batches queues n tasks as batches of 500.
func (w *swept) batches(n int) {
	w.Helper()
	positions := make([]int, 500)
	for i := range positions {
		positions[i] = i
	}
	for at := 0; at < n; at += len(positions) {
		tasks := make([]store.Job, len(positions))
		for i := range tasks {
			request, err := json.Marshal(map[string]any{"prompt": fmt.Sprintf("best running shoes for runner %d", at+i), "country": "US"})
			w.must(err)
			tasks[i] = store.Job{
				ID: uuid.Must(uuid.NewV7()).String(), Organization: w.organization, KeyID: "key", Provider: "chatassistant", Request: request, MaxCost: 5, CreatedAt: time.Now(),
			}
		}
		batch := store.Batch{ID: uuid.Must(uuid.NewV7()).String(), Organization: w.organization, CreatedAt: time.Now(), Total: len(tasks)}
		_, _, err := w.store.SubmitBatch(batch, tasks, positions, time.Now())
		w.must(err)
	}
}

// BenchmarkSweepSubmit plans and submits a sweep, and the same tasks as batches of 500.
func BenchmarkSweepSubmit(b *testing.B) {
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			for range b.N {
				w := newSwept(b, db.address(b))
				w.apply("large", sweepTasks)
				began := time.Now()
				w.batches(sweepTasks)
				batches := time.Since(began)
				began = time.Now()
				w.start("large")
				sweep := time.Since(began)
				b.ReportMetric(sweepTasks/batches.Seconds(), "batched/s")
				b.ReportMetric(sweepTasks/sweep.Seconds(), "swept/s")
				b.ReportMetric(sweep.Seconds()/batches.Seconds(), "ratio")
			}
		})
	}
}

// BenchmarkSweepSettle works off plain tasks, then those of a sweep while its answers are
// recorded beside, with the processor time of each answer from its plan to its row, and
// tells what recording does when it has the machine for itself.
func BenchmarkSweepSettle(b *testing.B) {
	for _, db := range append(slices.Clone(databases), citus) {
		b.Run(db.name, func(b *testing.B) {
			for range b.N {
				address := db.address(b)
				w := newSwept(b, address)
				w.apply("large", sweepTasks)
				w.batches(sweepTasks)
				b.ReportMetric(w.settle(sweepTasks), "plain/s")
				cpu := cpuUsed(b, address)
				w.start("large")
				b.ReportMetric(w.settleFollowed(), "followed/s")
				cpu.report(b, address, sweepTasks)
				w.start("large")
				w.settle(sweepTasks)
				began := time.Now()
				w.must(w.service.Step(b.Context(), time.Now()))
				b.ReportMetric(sweepTasks/time.Since(began).Seconds(), "recorded/s")
				w.must(w.service.Step(b.Context(), time.Now()))
				storetest.Audited(b, w.store)
			}
		})
	}
}

// settleFollowed is settle while a node records and looks after the sweep, as often as
// Run does.
func (w *swept) settleFollowed() (rate float64) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	var follower sync.WaitGroup
	follower.Go(func() {
		for tick := time.NewTicker(500 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				if err := w.service.Step(w.Context(), time.Now()); err != nil {
					w.Error(err)
				}
			}
		}
	})
	rate = w.settle(sweepTasks)
	cancel()
	follower.Wait()
	w.must(w.service.Step(w.Context(), time.Now()))
	return rate
}

// answerCount is how many answers there are; EARSHOT_BENCH_ANSWERS says otherwise.
func answerCount(b *testing.B) int {
	b.Helper()
	text := os.Getenv("EARSHOT_BENCH_ANSWERS")
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2000 {
		b.Fatalf("EARSHOT_BENCH_ANSWERS is %q", text)
	}
	return n
}

// BenchmarkAnswers tells how many bytes an answer takes beside its result, and how long
// a page of a hundred takes among few answers and among many.
func BenchmarkAnswers(b *testing.B) {
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			for range b.N {
				address, n := db.address(b), answerCount(b)
				w := newSwept(b, address)
				w.fill("few", 1000, 1000)
				w.fill("many", n, 10_000)
				few, many := w.page("few"), w.page("many")
				b.ReportMetric(few.Seconds()*1000, "few-ms")
				b.ReportMetric(many.Seconds()*1000, "many-ms")
				b.ReportMetric(many.Seconds()/few.Seconds(), "ratio")
				b.ReportMetric(float64(w.bytes(address))/float64(n+1000), "B/answer")
			}
		})
	}
}

// fill makes n answers of a tracker, in sweeps of a size.
func (w *swept) fill(name string, n, size int) {
	w.Helper()
	w.apply(name, size)
	for done := 0; done < n; done += size {
		w.start(name)
		w.settle(size)
		w.must(w.service.Step(w.Context(), time.Now()))
	}
}

// page is how long a page from the middle takes, at the median.
func (w *swept) page(name string) time.Duration {
	w.Helper()
	t, err := tracking.New(w.store).Tracker(w.Context(), w.organization, name)
	w.must(err)
	filter := tracking.AnswerFilter{Limit: 100}
	var times []time.Duration
	for range 100 {
		began := time.Now()
		found, next, err := tracking.New(w.store).Answers(w.Context(), t, filter)
		w.must(err)
		times = append(times, time.Since(began))
		if len(found) != filter.Limit {
			w.Fatalf("a page has %d answers", len(found))
		}
		if filter.Before = next; len(times)%5 == 0 {
			filter.Before = "" // not beyond the few
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// bytes is what answers take, with their indexes and what keeping their results takes
// beside these.
func (w *swept) bytes(address string) (size int64) {
	w.Helper()
	driver := "sqlite"
	query := `SELECT SUM(pgsize) - (SELECT SUM(length(content)) FROM bodies) FROM dbstat
		WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name IN ('answers', 'bodies'))`
	if store.Shared(address) {
		driver, query = "pgx", `SELECT pg_total_relation_size('answers') + pg_total_relation_size('bodies') - (SELECT SUM(length(content)) FROM bodies)`
	}
	db, err := sql.Open(driver, address)
	w.must(err)
	defer db.Close()
	w.must(db.QueryRowContext(w.Context(), query).Scan(&size))
	return size
}
