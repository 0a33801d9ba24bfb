package peers

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// BenchmarkRiver measures River with its own durability: it completes jobs in
// batches, and a job is done when its batch is committed.
func BenchmarkRiver(b *testing.B) {
	b.Run("postgres", func(b *testing.B) {
		server := address(b, "EARSHOT_TEST_POSTGRES")
		measure(b, 100_000, func(b *testing.B, n int) {
			b.Helper()
			runRiver(b, schema(b, server), n)
		})
	})
}

func runRiver(b *testing.B, pool *pgxpool.Pool, n int) {
	b.Helper()
	client := connect(b, pool)
	jobs := make([]river.InsertManyParams, n)
	for i := range jobs {
		jobs[i].Args = question()
	}
	_, err := client.InsertManyFast(b.Context(), jobs)
	check(b, err)
	// The events follow the commit. There is room for all, as River drops what does
	// not fit.
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
	check(b, pool.QueryRow(b.Context(), `SELECT count(*) FROM river_job WHERE state = 'completed'`).Scan(&stored))
	if stored != n {
		b.Fatalf("%d of %d jobs are completed", stored, n)
	}
}

// connect makes River's tables and a client.
func connect(b *testing.B, pool *pgxpool.Pool) *river.Client[pgx.Tx] {
	b.Helper()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	check(b, err)
	_, err = migrator.Migrate(b.Context(), rivermigrate.DirectionUp, nil)
	check(b, err)
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[noop]) error { return nil }))
	client, err := river.NewClient(driver, &river.Config{
		// The intervals of River's own benchmark, and the number of workers that its
		// comments call the best. 500 to 8,000 workers and 1 to 10 ms differ from
		// them by less than one run from the next.
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1000}},
		Workers:           workers,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	check(b, err)
	return client
}

// schema makes an empty schema and a pool that leads into it.
func schema(b *testing.B, server string) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(server)
	check(b, err)
	name := "test_" + strings.ToLower(rand.Text())
	config.ConnConfig.RuntimeParams["search_path"] = name
	config.MaxConns = 10 // 4, the pool's default, is slower; 30 is no faster
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	check(b, err)
	_, err = pool.Exec(b.Context(), `CREATE SCHEMA `+name)
	check(b, err)
	b.Cleanup(func() {
		// The benchmark's own context has ended by now.
		if _, err := pool.Exec(context.WithoutCancel(b.Context()), `DROP SCHEMA `+name+` CASCADE`); err != nil {
			b.Error(err)
		}
		pool.Close()
	})
	return pool
}
