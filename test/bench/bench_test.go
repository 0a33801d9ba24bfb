package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// callers is how many clients ask at once: enough to share commits, few enough
// that two cores are not only switching between them.
const callers = 16

const question = `{"prompt": "best running shoes", "country": "US"}`

// target is something to call.
type target struct {
	url, key string
	waiting  func() int // calls that wait for their answer
}

// service starts a node on the database, with an organization that no limit
// holds back.
func service(b *testing.B, address string, change ...func(*app.Config)) target {
	b.Helper()
	plan := account.Plan{Name: "bench", Slots: 100_000, CreditsPerCycle: 1 << 40, RequestsPerSecond: 1 << 30, QueueCapacity: 1}
	settings := app.Settings{
		Plans:            account.Plans{plan},
		UpstreamSettings: app.UpstreamSettings{APIs: map[string]app.APISettings{"openai": {Calls: 1000, CallsPerMinute: 100_000}}},
	}
	node := harness.StartOn(b, address, append(change, func(cfg *app.Config) {
		cfg.Settings, cfg.Backoff, cfg.Log = settings, nil, slog.New(slog.DiscardHandler)
	})...)
	a, err := app.CreateOrganization(node.Orgs, settings, "bench", plan.Name, nil, account.Operator())
	if err != nil {
		b.Fatal(err)
	}
	running := func() int { return node.Reload(b, a).Running }
	return target{node.BaseURL + "/v1/monitor/chatassistant", a.Key.Text, running}
}

// bare starts a handler that reads a body and answers with as many bytes as the
// service does, and nothing else.
func bare(b *testing.B) target {
	b.Helper()
	answer := bytes.Repeat([]byte("x"), 6000)
	var waiting atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("[[hang]]")) {
			waiting.Add(1)
			<-r.Context().Done()
			waiting.Add(-1)
		}
		_, _ = w.Write(answer)
	}))
	b.Cleanup(server.Close)
	return target{server.URL, "none", func() int { return int(waiting.Load()) }}
}

func ask(ctx context.Context, client *http.Client, to target, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+to.key)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

// kinds are what is measured side by side.
func kinds(b *testing.B, measure func(b *testing.B, to target)) {
	b.Helper()
	b.Run("bare", func(b *testing.B) { measure(b, bare(b)) })
	b.Run("sqlite", func(b *testing.B) { measure(b, service(b, filepath.Join(b.TempDir(), "earshot.db"))) })
	b.Run("postgres", func(b *testing.B) { measure(b, service(b, storetest.Postgres(b))) })
}

// BenchmarkCall measures whole synchronous calls, the lab's answer and its
// parsing included.
func BenchmarkCall(b *testing.B) {
	kinds(b, func(b *testing.B, to target) {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
		defer client.CloseIdleConnections()
		times := make([]time.Duration, b.N)
		var next atomic.Int64
		var group sync.WaitGroup
		b.ResetTimer()
		for range callers {
			group.Go(func() {
				for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
					started := time.Now()
					if err := ask(b.Context(), client, to, question); err != nil {
						b.Error(err)
						return
					}
					times[i] = time.Since(started)
				}
			})
		}
		group.Wait()
		b.StopTimer()
		slices.Sort(times)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
		b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-ms")
	})
}

// BenchmarkOwnCost measures what a call costs besides its upstream, at 500 calls a
// second: the upstream answers at once, with a small document. over-bare-ms is how much
// longer than that of the bare handler the median is.
func BenchmarkOwnCost(b *testing.B) {
	const rate, during = 500, 10 * time.Second
	var floor time.Duration
	measure := func(b *testing.B, to target) {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
		defer client.CloseIdleConnections()
		for range b.N {
			calls(b, client, to, rate, during/5) // warms up
			cpu := cpuUsed(b, "")                // of clients and upstream, too
			times := calls(b, client, to, rate, during)
			cpu.report(b, "", rate*int(during.Seconds()))
			if len(times) == 0 {
				b.Fatal("no call was answered")
			}
			b.ReportMetric(100*float64(len(times))/(rate*during.Seconds()), "answered-%")
			median := times[len(times)/2]
			if floor == 0 {
				floor = median
			}
			b.ReportMetric(median.Seconds()*1000, "p50-ms")
			b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-ms")
			b.ReportMetric((median-floor).Seconds()*1000, "over-bare-ms")
		}
	}
	quick := func(b *testing.B) func(*app.Config) {
		b.Helper()
		assistant, release := harness.Hold(b)
		release()
		return assistant
	}
	b.Run("bare", func(b *testing.B) { measure(b, bare(b)) })
	b.Run("sqlite", func(b *testing.B) { measure(b, service(b, filepath.Join(b.TempDir(), "earshot.db"), quick(b))) })
	b.Run("postgres", func(b *testing.B) { measure(b, service(b, storetest.Postgres(b), quick(b))) })
}

// calls makes so many calls a second, however long each takes, and gives how long those
// took that were answered, from the shortest to the longest. A busy machine refuses some.
func calls(b *testing.B, client *http.Client, to target, rate int, during time.Duration) []time.Duration {
	b.Helper()
	times := make([]time.Duration, int(during.Seconds()*float64(rate)))
	var group sync.WaitGroup
	began := time.Now()
	for i := range times {
		<-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		group.Go(func() {
			started := time.Now()
			if ask(b.Context(), client, to, question) == nil {
				times[i] = time.Since(started)
			}
		})
	}
	group.Wait()
	times = slices.DeleteFunc(times, func(t time.Duration) bool { return t == 0 })
	slices.Sort(times)
	return times
}

// BenchmarkWaiting measures the memory of calls that wait for their upstream:
// client, service and lab together, as they share the process.
func BenchmarkWaiting(b *testing.B) {
	const waiting = 1000
	kinds(b, func(b *testing.B, to target) {
		for range b.N {
			client := &http.Client{Transport: &http.Transport{}}
			ctx, leave := context.WithCancel(b.Context())
			before := inUse()
			var group sync.WaitGroup
			for range waiting {
				group.Go(func() {
					_ = ask(ctx, client, to, `{"prompt": "shoes [[hang]]", "country": "US"}`) // ends by leaving
				})
			}
			for to.waiting() < waiting {
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(200 * time.Millisecond) // admitted, they reach the lab
			b.ReportMetric(float64(inUse()-before)/waiting/1024, "KiB/call")
			leave()
			group.Wait()
			client.CloseIdleConnections()
			for to.waiting() > 0 {
				time.Sleep(10 * time.Millisecond)
			}
		}
	})
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// BenchmarkRateWindow measures what counting a request costs, for one busy
// account and for many.
func BenchmarkRateWindow(b *testing.B) {
	s := storetest.Open(b, storetest.Postgres(b))
	for _, accounts := range []int{1, 100} {
		keys := make([]string, accounts)
		for i := range keys {
			keys[i] = storetest.Organization(b, s, 1, 1).ID
		}
		measure := func(limiter interface {
			Take(context.Context, string, int) (ratelimit.Verdict, error)
		},
		) func(b *testing.B) {
			return func(b *testing.B) {
				var next atomic.Int64
				b.SetParallelism(callers)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := limiter.Take(b.Context(), keys[int(next.Add(1))%accounts], 1000); err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			}
		}
		b.Run(fmt.Sprintf("memory/%d", accounts), measure(ratelimit.NewLocal()))
		b.Run(fmt.Sprintf("postgres/%d", accounts), measure(ratelimit.NewShared(orgs.New(s).CountRequests)))
	}
}
