package peers

import (
	"os"
	"strconv"
	"testing"
)

// noop is a job that asks for nothing.
type noop struct {
	Prompt  string `json:"prompt"`
	Country string `json:"country"`
}

// Kind names the job for the workers.
func (noop) Kind() string { return "noop" }

func question() noop { return noop{Prompt: "best running shoes", Country: "US"} }

// measure repeats a run with n jobs, unless the environment says how many. A run
// fills a queue of its own and times only how its jobs are worked off.
func measure(b *testing.B, n int, run func(b *testing.B, n int)) {
	b.Helper()
	if text := os.Getenv("EARSHOT_BENCH_TASKS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		check(b, err)
	}
	b.StopTimer()
	b.ResetTimer()
	for range b.N {
		run(b, n)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// address finds a server in the environment; without it, the benchmark is skipped.
func address(b *testing.B, variable string) string {
	b.Helper()
	server := os.Getenv(variable)
	if server == "" {
		b.Skipf("%s is not set: run the benchmarks through make bench", variable)
	}
	return server
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
