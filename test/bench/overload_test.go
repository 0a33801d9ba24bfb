package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"earshot/test/load"
)

// BenchmarkOverload offers a node more calls than it can serve, by clients that give up after 5 s.
// It logs how many are served relative to the most that the node serves just before and just after,
// how long refusals take, and whether the node still answers health checks. back-s is how long after
// the largest load every call of a lighter one is answered within a second.
func BenchmarkOverload(b *testing.B) {
	const during = 8 * time.Second
	binary := load.Build(b)
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			node := load.Start(b, binary, db.address(b))
			client := load.NewClient(node.BaseURL)
			defer client.Close()
			var calls []load.Request
			for _, key := range node.Accounts(b, load.Unlimited, 4) {
				calls = append(calls, load.Post(key, "/v1/monitor/chatassistant", question))
			}
			most := func() float64 { return load.Closed(client, 2*callers, during/2, calls...).Goodput() }
			for range b.N {
				load.Closed(client, callers, during/4, calls...) // warms up
				before := most()
				for _, times := range []float64{1, 2, 5, 10} {
					got, about := overload(b, node, client, before, times, during, calls)
					after := most()
					peak := (before + after) / 2
					b.Logf("%3.0fx: %4.0f%% of %.0f/s served, %s", times, 100*got.Goodput()/peak, peak, about)
					b.ReportMetric(100*got.Goodput()/peak, fmt.Sprintf("%%-at-%.0fx", times))
					before = after
				}
			}
			_, memory := node.Memory(b)
			b.ReportMetric(float64(memory), "MB")
		})
	}
}

// back returns how long it takes until every call of a load is answered within a second.
func back(node *load.Program, rate float64, calls []load.Request) time.Duration {
	client := load.NewClient(node.BaseURL)
	defer client.Close()
	client.Patience = time.Second
	for began := time.Now(); ; {
		since := time.Since(began)
		if load.Open(client, rate, time.Second/4, nil, calls...).Success() == 1 {
			return since
		}
	}
}

// overload offers times as many calls as the node can serve at most, and describes the answers.
func overload(b *testing.B, node *load.Program, client *load.Client, most, times float64, during time.Duration, calls []load.Request) (got *load.Result, about string) {
	b.Helper()
	over, health := make(chan struct{}), make(chan *load.Result)
	go func() {
		checker := load.NewClient(node.BaseURL)
		defer checker.Close()
		health <- load.Open(checker, 20, time.Hour, over, load.Get("", "/healthz"), load.Get("", "/readyz"))
	}()
	before := cpuUsed(b, "").own
	ended := make(chan *load.Result)
	go func() { ended <- load.Open(client, most*times, during, nil, calls...) }()
	if <-time.After(during); times == 10 {
		b.ReportMetric(back(node, most/2, calls).Seconds(), "back-s")
	}
	got = <-ended
	own := cpuUsed(b, "").own - before
	close(over)
	checks := <-health
	return got, fmt.Sprintf("%.0f/s offered | 200: %s | 503: %s | %v | client used %.0f%% of the processors | health %s, p95 %s",
		float64(got.Sent)/got.Took.Seconds(), got.Answers[200], got.Answers[503], got.Errors,
		100*own.Seconds()/got.Took.Seconds()/float64(runtime.NumCPU()), checks.Answers[200], checks.Answers[200].At(.95).Round(time.Millisecond))
}
