package bench

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// cpuTime is what a run has used of the processors so far: in this process, and in the
// PostgreSQL server where there is one on this machine, and in the workers of Citus.
type cpuTime struct{ own, server, workers time.Duration }

func cpuUsed(b *testing.B, address string) cpuTime {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	used := cpuTime{own: time.Duration(usage.Utime.Nano() + usage.Stime.Nano())}
	if store.Shared(address) {
		used.server, used.workers = serversUsed(b, address)
	}
	return used
}

// report tells what each of n operations used since.
func (before cpuTime) report(b *testing.B, address string, n int) {
	b.Helper()
	after := cpuUsed(b, address)
	b.ReportMetric(float64((after.own-before.own).Microseconds())/float64(n), "cpu-us/op")
	if store.Shared(address) {
		b.ReportMetric(float64((after.server-before.server).Microseconds())/float64(n), "server-cpu-us/op")
	}
	if after.workers > 0 {
		b.ReportMetric(float64((after.workers-before.workers).Microseconds())/float64(n), "workers-cpu-us/op")
	}
}

// serversUsed adds up what the processes of the server have used, and those of its workers.
func serversUsed(b *testing.B, address string) (server, workers time.Duration) {
	b.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var folder, others string
	if err := db.QueryRowContext(b.Context(), `SELECT current_setting('data_directory')`).Scan(&folder); err != nil {
		b.Fatal(err)
	}
	if strings.HasPrefix(os.Getenv(storetest.CitusVariable), strings.SplitAfter(address, "?")[0]) {
		err := db.QueryRowContext(b.Context(), `SELECT string_agg(result, ',') FROM run_command_on_workers('SHOW data_directory')`).Scan(&others)
		if err != nil {
			b.Fatal(err)
		}
	}
	for other := range strings.SplitSeq(others, ",") {
		workers += serverUsed(b, other)
	}
	return serverUsed(b, folder), workers
}

// serverUsed adds up what the processes of the server in a folder have used. Nothing where
// they cannot be seen: on another machine, or without /proc.
func serverUsed(b *testing.B, folder string) (used time.Duration) {
	b.Helper()
	note, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	if err != nil {
		return 0
	}
	postmaster, _, _ := strings.Cut(string(note), "\n")
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	const parent, own, ended = 1, 11, 13 // fields of stat after the name, in the kernel's ticks
	const tick = 10 * time.Millisecond
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid := filepath.Base(filepath.Dir(path))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		count := fields[own : own+2]
		if pid == postmaster {
			count = fields[own : ended+2] // with the backends that are gone
		} else if fields[parent] != postmaster {
			continue
		}
		for _, ticks := range count {
			n, err := strconv.Atoi(ticks)
			if err != nil {
				b.Fatal(err)
			}
			used += time.Duration(n) * tick
		}
	}
	return used
}
