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
	"earshot/internal/ratelimit"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// callers is how many clients ask at once: enough to share commits, few enough
// that two cores are not only switching between them.
const callers = 16

const question = `{"prompt": "best running shoes", "country": "US"}`

// service starts a node on the database, with an organization that no limit
// holds back.
func service(b *testing.B, address string) (url, key string) {
	b.Helper()
	plan := account.Plan{Name: "bench", Slots: 100_000, CreditsPerCycle: 1 << 40, RequestsPerSecond: 1 << 30, QueueCapacity: 1}
	cfg := app.Config{
		Listen:   "127.0.0.1:0",
		Data:     filepath.Dir(address),
		Settings: app.Settings{Plans: account.Plans{plan}},
		Log:      slog.New(slog.DiscardHandler),
	}
	if store.Shared(address) {
		cfg.Database, cfg.Data = address, b.TempDir()
	}
	node, err := app.New(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	a, err := app.CreateOrganization(storetest.Open(b, address), cfg.Settings, "bench", plan.Name, nil)
	if err != nil {
		b.Fatal(err)
	}
	return node.BaseURL + "/v1/monitor/chatassistant", a.Key.Text
}

// bare starts a handler that reads a body and answers with as many bytes as the
// service does, and nothing else.
func bare(b *testing.B) (url, key string) {
	b.Helper()
	answer := bytes.Repeat([]byte("x"), 6000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Wait") != "" {
			<-r.Context().Done()
		}
		_, _ = w.Write(answer)
	}))
	b.Cleanup(server.Close)
	return server.URL, "none"
}

func ask(ctx context.Context, client *http.Client, url, key, body string, header http.Header) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header = header.Clone()
	req.Header.Set("Authorization", "Bearer "+key)
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
func kinds(b *testing.B, measure func(b *testing.B, url, key string)) {
	b.Helper()
	b.Run("bare", func(b *testing.B) {
		url, key := bare(b)
		measure(b, url, key)
	})
	b.Run("sqlite", func(b *testing.B) {
		url, key := service(b, filepath.Join(b.TempDir(), "earshot.db"))
		measure(b, url, key)
	})
	b.Run("postgres", func(b *testing.B) {
		url, key := service(b, storetest.Postgres(b))
		measure(b, url, key)
	})
}

// BenchmarkCall measures whole synchronous calls, the lab's answer and its
// parsing included.
func BenchmarkCall(b *testing.B) {
	kinds(b, func(b *testing.B, url, key string) {
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
					if err := ask(b.Context(), client, url, key, question, http.Header{}); err != nil {
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

// BenchmarkWaiting measures the memory of calls that wait for their upstream:
// client, service and lab together, as they share the process.
func BenchmarkWaiting(b *testing.B) {
	const waiting = 1000
	kinds(b, func(b *testing.B, url, key string) {
		for range b.N {
			client := &http.Client{Transport: &http.Transport{}}
			ctx, leave := context.WithCancel(b.Context())
			before := inUse()
			var group sync.WaitGroup
			for range waiting {
				group.Go(func() {
					body := `{"prompt": "shoes [[hang]]", "country": "US"}`
					_ = ask(ctx, client, url, key, body, http.Header{"Wait": {"yes"}}) // ends by leaving
				})
			}
			settle()
			b.ReportMetric(float64(inUse()-before)/waiting/1024, "KiB/call")
			leave()
			group.Wait()
			client.CloseIdleConnections()
		}
	})
}

// settle waits until the number of goroutines stands still: every call waits.
func settle() {
	for last := -1; runtime.NumGoroutine() != last; {
		last = runtime.NumGoroutine()
		time.Sleep(200 * time.Millisecond)
	}
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
		b.Run(fmt.Sprintf("postgres/%d", accounts), measure(ratelimit.NewShared(s.CountRequests)))
	}
}
