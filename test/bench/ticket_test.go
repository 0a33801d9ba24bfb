package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/test/load"
)

// openTickets is how many questions wait for a vendor in BenchmarkOpenTickets.
const openTickets = 1000

// BenchmarkOpenTickets measures a node in its own process while the tasks of an organization wait for
// a vendor that does not answer: the memory of the process, and the workers that are busy on average,
// which poll. EARSHOT_BENCH_TICKETS is how long they wait; by default half a minute.
func BenchmarkOpenTickets(b *testing.B) {
	during := 30 * time.Second
	if text := os.Getenv("EARSHOT_BENCH_TICKETS"); text != "" {
		parsed, err := time.ParseDuration(text)
		if err != nil {
			b.Fatal(err)
		}
		during = parsed
	}
	var submitted atomic.Int64
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		id := r.URL.Path
		if r.Method == http.MethodPost {
			id = strconv.FormatInt(submitted.Add(1), 10)
		}
		fmt.Fprintf(w, `{"task":{"id":%q,"status":"PROCESSING"}}`, id)
	}))
	b.Cleanup(vendor.Close)
	b.Setenv("EARSHOT_CLORO_API_KEY", "sk_live_of-the-benchmark")
	b.Setenv("EARSHOT_CLORO_URL", vendor.URL)
	settings := filepath.Join(b.TempDir(), "settings.yaml")
	text := "providers:\n  chatassistant:\n    upstreams: [via:cloro]\nvendors: {cloro: {wait: 1h, calls-per-minute: 100000}}\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	binary := load.Build(b)
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			for range b.N {
				submitted.Store(0)
				node := load.Start(b, binary, db.address(b), "--config", settings)
				submitTasks(b, node, openTickets)
				for began := time.Now(); submitted.Load() < openTickets; time.Sleep(100 * time.Millisecond) {
					if time.Since(began) > 2*time.Minute {
						b.Fatalf("%d questions were submitted to the vendor", submitted.Load())
					}
				}
				busy, samples, most := 0.0, 0.0, 0
				for began := time.Now(); time.Since(began) < during; time.Sleep(250 * time.Millisecond) {
					now, _ := node.Memory(b)
					most = max(most, now)
					busy += busyWorkers(b, node)
					samples++
				}
				if submitted.Load() != openTickets {
					b.Errorf("%d questions were submitted to the vendor", submitted.Load())
				}
				b.ReportMetric(float64(most), "waiting-MB")
				_, peak := node.Memory(b)
				b.ReportMetric(float64(peak), "peak-MB")
				b.ReportMetric(busy/samples, "busy-workers")
				node.Kill()
			}
		})
	}
}

// submitTasks queues n tasks in batches.
func submitTasks(b *testing.B, node *load.Program, n int) {
	b.Helper()
	client, key := load.NewClient(node.BaseURL), node.Accounts(b, load.Unlimited, 1)[0]
	for first := 0; first < n; first += 500 {
		var tasks []map[string]any
		for i := first; i < min(n, first+500); i++ {
			tasks = append(tasks, map[string]any{"taskType": "CHATASSISTANT", "payload": map[string]string{"prompt": fmt.Sprintf("question %d", i), "country": "US"}})
		}
		body, err := json.Marshal(tasks)
		if err != nil {
			b.Fatal(err)
		}
		if status, err := client.Do(load.Post(key, "/v1/async/task/batch", string(body))); err != nil || status != http.StatusOK {
			b.Fatalf("the batch was answered with %d, %v", status, err)
		}
	}
}

var busyGauge = regexp.MustCompile(`(?m)^earshot_workers_busy (\S+)$`)

// busyWorkers returns how many workers of a node are busy.
func busyWorkers(b *testing.B, node *load.Program) float64 {
	b.Helper()
	resp, err := http.Get(node.BaseURL + "/metrics")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	found := busyGauge.FindStringSubmatch(string(text))
	if err != nil || found == nil {
		b.Fatalf("the metrics are %v %.200s", err, strings.TrimSpace(string(text)))
	}
	busy, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return busy
}
