package bench

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/load"
)

// BenchmarkNodes works off the same backlog by one, two and four nodes on one
// PostgreSQL, each a process of its own, and tells how long newcomers wait meanwhile:
// organizations that come one after another, each with a single task behind the backlog
// of a hundred others.
func BenchmarkNodes(b *testing.B) {
	var alone float64
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			for b.Loop() {
				address, tasks := storetest.Postgres(b), taskCount(b)
				s := storetest.Open(b, address)
				fill(b, s, organizations(b, s, 100), tasks)
				nodes := make([]*nodeProcess, n)
				for i := range nodes {
					nodes[i] = startNode(b, address)
				}
				over, waits := make(chan struct{}), make(chan []time.Duration)
				go func() {
					defer close(waits)
					waits <- newcomers(b, s, over)
				}()
				began := time.Now()
				for _, node := range nodes {
					node.begin(b)
				}
				waitForLast(b, address)
				rate := float64(tasks) / time.Since(began).Seconds()
				close(over)
				waited := <-waits
				for _, node := range nodes {
					node.end(b)
				}
				if n == 1 {
					alone = rate
				}
				b.ReportMetric(rate, "tasks/s")
				b.ReportMetric(rate/alone, "x-one-node")
				if len(waited) > 0 {
					slices.Sort(waited)
					b.ReportMetric(waited[len(waited)/2].Seconds()*1000, "newcomer-p50-ms")
					b.ReportMetric(waited[len(waited)-1].Seconds()*1000, "newcomer-worst-ms")
				}
				storetest.Audited(b, s)
			}
		})
	}
}

// nodeVariable makes BenchmarkNode a node of the database that it names.
const nodeVariable = "EARSHOT_BENCH_NODE"

// BenchmarkNode is one of the nodes of BenchmarkNodes. It tells when it is ready, works
// from the first line that it is given, and goes when there will be no other.
func BenchmarkNode(b *testing.B) {
	address := os.Getenv(nodeVariable)
	if address == "" {
		b.Skip("this is a process that BenchmarkNodes starts")
	}
	left := &atomic.Int64{} // that others count
	left.Store(math.MaxInt64)
	runner := newRunner(b, storetest.Open(b, address), noop{left: left})
	fmt.Println(nodeReady)
	orders := bufio.NewScanner(os.Stdin)
	if !orders.Scan() {
		b.Fatal("there was nothing to do")
	}
	var running errgroup.Group
	ctx, cancel := context.WithCancel(b.Context())
	running.Go(func() error { return runner.Run(ctx) })
	orders.Scan()
	runner.Drain()
	runner.Stop(b.Context())
	cancel()
	if err := running.Wait(); err != nil {
		b.Fatal(err)
	}
}

const nodeReady = "ready"

// nodeProcess is a node that runs in a process of its own.
type nodeProcess struct {
	command *exec.Cmd
	orders  io.WriteCloser
}

func startNode(b *testing.B, address string) *nodeProcess {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkNode$", "-test.benchtime=1x")
	command.Env = append(os.Environ(), nodeVariable+"="+address)
	command.Stderr = os.Stderr
	orders, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if strings.HasSuffix(lines.Text(), nodeReady) { // behind the benchmark's name
			go func() { _, _ = io.Copy(io.Discard, output) }() // its result is ours
			return &nodeProcess{command, orders}
		}
	}
	b.Fatalf("the node does not start: %v", lines.Err())
	return nil
}

func (n *nodeProcess) begin(b *testing.B) {
	b.Helper()
	if _, err := fmt.Fprintln(n.orders); err != nil {
		b.Fatal(err)
	}
}

func (n *nodeProcess) end(b *testing.B) {
	b.Helper()
	_ = n.orders.Close()
	if err := n.command.Wait(); err != nil {
		b.Fatalf("a node failed: %v", err)
	}
}

// waitForLast returns when all tasks are settled, but for that of a newcomer.
func waitForLast(b *testing.B, address string) {
	b.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	harness.Eventually(b, "all tasks are settled", func() bool {
		var left int
		if err := db.QueryRowContext(b.Context(), `SELECT SUM(queued + running) FROM organizations`).Scan(&left); err != nil {
			b.Fatal(err)
		}
		return left <= 1
	})
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
			status, err := history.New(s).QueueStatus(b.Context(), owner)
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

// BenchmarkDatabaseRestart crashes PostgreSQL repeatedly while a node answers calls. normal-s is
// how long after the server accepts connections again 10 calls of 0.2 s were all answered, at most. failed counts
// calls of the second after that which did not.
func BenchmarkDatabaseRestart(b *testing.B) {
	const restarts, rate = 50, 50
	address := storetest.Postgres(b)
	admin, err := sql.Open("pgx", os.Getenv(storetest.PostgresVariable))
	if err != nil {
		b.Fatal(err)
	}
	defer admin.Close()
	var folder string
	if err := admin.QueryRowContext(b.Context(), `SHOW data_directory`).Scan(&folder); err != nil || !strings.Contains(folder, "/earshot-postgres.") {
		b.Skipf("%s is not a server of scripts/with-postgres.sh: %v", folder, err)
	}
	node := load.Start(b, load.Build(b), address)
	call := load.Post(node.Accounts(b, load.Unlimited, 1)[0], "/v1/monitor/chatassistant", question)
	client := load.NewClient(node.BaseURL)
	defer client.Close()
	var worst time.Duration
	down, failed := 0, 0
	for b.Loop() {
		for range restarts {
			over, ended := make(chan struct{}), make(chan *load.Result)
			go func() { ended <- load.Open(client, rate, time.Hour, over, call) }()
			if _, err := admin.ExecContext(b.Context(), `COPY (SELECT 1) TO PROGRAM 'kill -KILL $PPID'`); err == nil {
				b.Fatal("the server survived")
			}
			harness.Eventually(b, "the server is back", func() bool { return admin.PingContext(b.Context()) == nil })
			began := time.Now()
			for ok := false; !ok; {
				ok = load.Open(client, rate, time.Second/5, nil, call).Success() == 1
			}
			worst = max(worst, time.Since(began))
			close(over)
			during := <-ended
			down += during.Sent - len(during.Answers[200])
			after := load.Open(client, rate, time.Second, nil, call)
			failed += after.Sent - len(after.Answers[200])
		}
	}
	b.ReportMetric(worst.Seconds(), "normal-s")
	b.ReportMetric(float64(failed), "failed")
	b.Logf("%d restarts; %d calls were refused or failed until it was normal again", restarts, down)
	waitForLast(b, address)
	storetest.Audited(b, storetest.Open(b, address))
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
