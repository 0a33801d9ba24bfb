package bench

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// BenchmarkNodes works off the same backlog by one, two and four nodes on one
// PostgreSQL, and tells how long newcomers wait meanwhile: organizations that come one
// after another, each with a single task behind the backlog of a hundred others.
func BenchmarkNodes(b *testing.B) {
	var alone float64
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			for b.Loop() {
				address, tasks := storetest.Postgres(b), taskCount(b)
				nodes := make([]*store.Store, n)
				for i := range nodes {
					nodes[i] = storetest.Open(b, address)
				}
				fill(b, nodes[0], organizations(b, nodes[0], 100), tasks)
				over, waits := make(chan struct{}), make(chan []time.Duration)
				waiting := storetest.Open(b, address)
				go func() {
					defer close(waits)
					waits <- newcomers(b, waiting, over)
				}()
				took := runAll(b, tasks, nodes...)
				close(over)
				rate := float64(tasks) / took.Seconds()
				if n == 1 {
					alone = rate
				}
				b.ReportMetric(rate, "tasks/s")
				b.ReportMetric(rate/alone, "x-one-node")
				if waited := <-waits; len(waited) > 0 {
					slices.Sort(waited)
					b.ReportMetric(waited[len(waited)/2].Seconds()*1000, "newcomer-p50-ms")
					b.ReportMetric(waited[len(waited)-1].Seconds()*1000, "newcomer-worst-ms")
				}
				storetest.Audited(b, nodes[0])
			}
		})
	}
}

// newcomers are how long the tasks of organizations waited that had one each, until the
// backlog is over.
func newcomers(b *testing.B, s *store.Store, over <-chan struct{}) (waits []time.Duration) {
	b.Helper()
	for {
		owner := storetest.Organization(b, s, 1, 1000).ID
		began := time.Now()
		fill(b, s, []string{owner}, 1)
		for {
			select {
			case <-over:
				return waits
			case <-time.After(2 * time.Millisecond):
			}
			status, err := s.QueueStatus(b.Context(), owner)
			if err != nil {
				b.Error(err)
				return waits
			}
			if status.Organization.Queued == 0 {
				waits = append(waits, time.Since(began))
				break
			}
		}
	}
}

// BenchmarkSnapshot works off a backlog on PostgreSQL without and with a transaction
// that stays open meanwhile, as that of a backup does: no row that it might still see
// can be cleared away.
func BenchmarkSnapshot(b *testing.B) {
	const tasks = 200_000
	compare(b, "snapshot", tasks, func(b *testing.B, address string) (end func()) {
		db, err := sql.Open("pgx", address)
		if err != nil {
			b.Fatal(err)
		}
		backup, err := db.BeginTx(b.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		var n int
		if err := backup.QueryRowContext(b.Context(), `SELECT count(*) FROM jobs`).Scan(&n); err != nil || n != tasks {
			b.Fatalf("the snapshot has %d tasks: %v", n, err)
		}
		return func() {
			_ = backup.Rollback()
			_ = db.Close()
		}
	})
}

// slowVariable names a file: as long as it is there, every sync of the PostgreSQL server
// takes 2 ms longer. scripts/with-postgres.sh sets it to a file where it is set at all.
// SQLite is not measured: it syncs without the C library, so nothing can be put between.
const slowVariable = "EARSHOT_BENCH_SLOW_SYNC"

// BenchmarkSlowDisk works off a backlog on PostgreSQL without and with 2 ms added to
// every sync.
func BenchmarkSlowDisk(b *testing.B) {
	file := os.Getenv(slowVariable)
	if file == "" {
		b.Skipf("%s is not set: no sync can be made slow", slowVariable)
	}
	compare(b, "slow", taskCount(b), func(b *testing.B, address string) (end func()) {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			b.Fatal(err)
		}
		db, err := sql.Open("pgx", address)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		began := time.Now()
		if _, err := db.ExecContext(b.Context(), `CREATE TABLE probe ()`); err != nil || time.Since(began) < 2*time.Millisecond {
			b.Fatalf("a commit takes %s (%v): syncs are not slow", time.Since(began), err)
		}
		return func() { _ = os.Remove(file) }
	})
}

// compare works off a backlog of a hundred organizations on PostgreSQL as usual, and
// then under a condition.
func compare(b *testing.B, name string, tasks int, begin func(b *testing.B, address string) (end func())) {
	var usual float64
	for _, under := range []string{"usual", name} {
		b.Run(under, func(b *testing.B) {
			for b.Loop() {
				address := storetest.Postgres(b)
				s := storetest.Open(b, address)
				fill(b, s, organizations(b, s, 100), tasks)
				end := func() {}
				if under == name {
					end = begin(b, address)
				}
				cpu := cpuUsed(b, address)
				took := runAll(b, tasks, s)
				cpu.report(b, address, tasks)
				end()
				rate := float64(tasks) / took.Seconds()
				if under != name {
					usual = rate
				}
				b.ReportMetric(rate, "tasks/s")
				b.ReportMetric(rate/usual, "x-usual")
				storetest.Audited(b, s)
			}
		})
	}
}
