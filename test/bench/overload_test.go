package bench

import (
	"runtime"
	"testing"
	"time"

	"earshot/test/load"
)

// BenchmarkOverload offers a node more calls than it can serve, by clients that give
// up after 5 s: how many are served, in parts of the most that it serves at all, how
// long refusals take, and whether it can still tell how it is. back-s is how long after the
// largest load every call of a lighter one is answered within a second.
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
			for range b.N {
				load.Closed(client, callers, during/4, calls...) // warms up
				peak := load.Closed(client, 2*callers, during, calls...).Goodput()
				b.ReportMetric(peak, "calls/s")
				for _, times := range []float64{1, 2, 5, 10} {
					overload(b, node, client, peak, times, during, calls)
				}
			}
			_, most := node.Memory(b)
			b.ReportMetric(float64(most), "MB")
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

func overload(b *testing.B, node *load.Program, client *load.Client, peak, times float64, during time.Duration, calls []load.Request) {
	b.Helper()
	over, health := make(chan struct{}), make(chan *load.Result)
	go func() {
		checker := load.NewClient(node.BaseURL)
		defer checker.Close()
		health <- load.Open(checker, 20, time.Hour, over, load.Get("", "/healthz"), load.Get("", "/readyz"))
	}()
	before := cpuUsed(b, "").own
	ended := make(chan *load.Result)
	go func() { ended <- load.Open(client, peak*times, during, nil, calls...) }()
	if <-time.After(during); times == 10 {
		b.ReportMetric(back(node, peak/2, calls).Seconds(), "back-s")
	}
	got := <-ended
	own := cpuUsed(b, "").own - before
	close(over)
	checks := <-health
	b.Logf("%4.0fx: %4.0f%% of %.0f/s served (%.0f/s offered) | 200: %s | 503: %s | %v | client used %.0f%% of the processors | health %s, p95 %s", times, 100*got.Goodput()/peak, peak, float64(got.Sent)/got.Took.Seconds(),
		got.Answers[200], got.Answers[503], got.Errors, 100*own.Seconds()/got.Took.Seconds()/float64(runtime.NumCPU()), checks.Answers[200], checks.Answers[200].At(.95).Round(time.Millisecond))
}
