package riversqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	_ "modernc.org/sqlite" // the database
)

type noop struct {
	Prompt  string `json:"prompt"`
	Country string `json:"country"`
}

func (noop) Kind() string { return "noop" }

// BenchmarkRiver works off b.N databases of n jobs each.
func BenchmarkRiver(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		n := 10_000
		if text := os.Getenv("EARSHOT_BENCH_TASKS"); text != "" {
			var err error
			n, err = strconv.Atoi(text)
			check(b, err)
		}
		b.StopTimer()
		b.ResetTimer()
		for range b.N {
			work(b, n)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	})
}

// work fills a new database, in which a commit is as lasting as in PostgreSQL, and
// times the n jobs in it, from the client's start to the last one's completion.
func work(b *testing.B, n int) {
	b.Helper()
	const pragmas = "?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=busy_timeout(5000)&_txlock=immediate"
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "river.db")+pragmas)
	check(b, err)
	defer db.Close()
	db.SetMaxOpenConns(1) // as River advises; 4 are slower
	client := connect(b, db)

	// Not InsertManyFast: in this version it panics on SQLite.
	jobs := make([]river.InsertManyParams, n)
	for i := range jobs {
		jobs[i].Args = noop{Prompt: "best running shoes", Country: "US"}
	}
	_, err = client.InsertMany(b.Context(), jobs)
	check(b, err)

	completed, cancel := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: n, Kinds: []river.EventKind{river.EventKindJobCompleted}})
	defer cancel()
	b.StartTimer()
	check(b, client.Start(b.Context()))
	for range n {
		<-completed
	}
	b.StopTimer()
	check(b, client.Stop(b.Context()))
	var stored int
	check(b, db.QueryRowContext(b.Context(), `SELECT count(*) FROM river_job WHERE state = 'completed'`).Scan(&stored))
	if stored != n {
		b.Fatalf("%d of %d jobs are completed", stored, n)
	}
}

// connect makes River's tables and a client with the settings that package peers
// has. From 100 to 8,000 workers and up to 20 ms, none are faster here either.
func connect(b *testing.B, db *sql.DB) *river.Client[*sql.Tx] {
	b.Helper()
	driver := riversqlite.New(db)
	migrator, err := rivermigrate.New(driver, nil)
	check(b, err)
	_, err = migrator.Migrate(b.Context(), rivermigrate.DirectionUp, nil)
	check(b, err)
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[noop]) error { return nil }))
	client, err := river.NewClient(driver, &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1000}},
		Workers:           workers,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	check(b, err)
	return client
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
