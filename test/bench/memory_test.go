package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/test/harness/program"
	"earshot/test/load"
)

// BenchmarkMemory measures the memory of a node in a process of its own, lab included,
// while much waits for its upstream and when all of it is answered at once, and while
// hostile documents come.
func BenchmarkMemory(b *testing.B) {
	binary := load.Build(b)
	for _, db := range databases {
		for _, kind := range []struct {
			name   string
			calls  int
			prompt string
		}{
			{"waiting=10000", 10_000, "shoes [[delay=LEFT]]"},
			{"huge=200", 200, "shoes [[huge]]"},
		} {
			b.Run(db.name+"/"+kind.name, func(b *testing.B) {
				for range b.N {
					remember(b, load.Start(b, binary, db.address(b)), kind.calls, kind.prompt)
				}
			})
		}
	}
}

// BenchmarkWaitingOwn measures the memory of a call that waits for its upstream, in a
// process that holds neither clients nor upstream: of a bare handler that asks the
// upstream itself, and of a node. over-bare-KB is what is ours.
func BenchmarkWaitingOwn(b *testing.B) {
	var asked atomic.Int64
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then it is seen when the client leaves
		asked.Add(1)
		<-r.Context().Done()
	}))
	b.Cleanup(upstream.Close)
	b.Setenv("EARSHOT_OPENAI_API_KEY", "sk-of-the-benchmark")
	b.Setenv("EARSHOT_OPENAI_URL", upstream.URL)
	settings := filepath.Join(b.TempDir(), "settings.yaml")
	if err := os.WriteFile(settings, []byte("apis: {openai: {calls: 10000, calls-per-minute: 100000}}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	binary := load.Build(b)
	var floor float64
	measure := func(b *testing.B, node *load.Program, key string) {
		b.Helper()
		asked.Store(0)
		each := waiting(b, node, load.Post(key, "/v1/monitor/chatassistant", question), &asked)
		if floor == 0 {
			floor = each
		}
		b.ReportMetric(each, "KB/call")
		b.ReportMetric(each-floor, "over-bare-KB")
	}
	b.Run("bare", func(b *testing.B) {
		b.Setenv(bareVariable, upstream.URL)
		for range b.N {
			measure(b, load.Run(b, os.Args[0]), "none")
		}
	})
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			for range b.N {
				node := load.Start(b, binary, db.address(b), "--config", settings)
				measure(b, node, node.Accounts(b, load.Unlimited, 1)[0])
			}
		})
	}
}

// waiting makes calls that nobody answers, and gives what each takes of the memory of the
// process, in KB.
func waiting(b *testing.B, node *load.Program, call load.Request, asked *atomic.Int64) float64 {
	b.Helper()
	const rate, during = 400, 10 * time.Second // they are let in, not refused
	client := load.NewClient(node.BaseURL)
	client.Patience = during + 10*time.Second
	idle, _ := node.Memory(b)
	ended := make(chan *load.Result)
	go func() { ended <- load.Open(client, rate, during, nil, call) }()
	select {
	case <-ended:
		b.Fatal("the calls have ended, and none should")
	case <-time.After(during + 5*time.Second): // all have arrived
	}
	now, _ := node.Memory(b)
	arrived := asked.Load()
	node.Kill()
	<-ended
	if arrived < rate {
		b.Fatalf("only %d calls reached the upstream", arrived)
	}
	return float64(now-idle) * 1000 / float64(arrived)
}

// bareVariable makes this package's binary the bare handler, and names its upstream.
const bareVariable = "EARSHOT_BENCH_BARE"

func TestMain(m *testing.M) {
	if upstream := os.Getenv(bareVariable); upstream != "" {
		serveBare(upstream)
	}
	m.Run()
}

// serveBare is the process of the bare handler of BenchmarkWaitingOwn, which reads a body,
// asks its upstream and waits.
func serveBare(upstream string) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, upstream, strings.NewReader(question))
		if err != nil {
			panic(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}))
	fmt.Println(program.Ready + server.URL)
	select {}
}

// remember makes calls at once and reports the memory that they take.
func remember(b *testing.B, node *load.Program, calls int, prompt string) {
	b.Helper()
	const rate = 500 // a second: they are let in, not refused
	client := load.NewClient(node.BaseURL)
	client.Patience = 5 * time.Minute
	keys := node.Accounts(b, load.Unlimited, 8)
	idle, _ := node.Memory(b)
	var group sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	began := time.Now()
	for i := range calls {
		due := time.Duration(float64(i) / rate * float64(time.Second))
		time.Sleep(time.Until(began.Add(due)))
		left := time.Duration(calls)*time.Second/rate - due + 8*time.Second // so that all end together, and none is given up for silence
		text := strings.ReplaceAll(prompt, "LEFT", strconv.Itoa(int(left.Seconds()))+"s")
		call := load.Post(keys[i%len(keys)], "/v1/monitor/chatassistant", fmt.Sprintf(`{"prompt": %q, "country": "US"}`, text))
		group.Go(func() {
			status, err := client.Do(call)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				b.Log(err)
			}
			answers[status]++
		})
	}
	now, most := node.Memory(b)
	b.ReportMetric(float64(now-idle), "waiting-MB")
	b.ReportMetric(float64(most), "peak-waiting-MB")
	group.Wait()
	_, most = node.Memory(b)
	b.ReportMetric(float64(most), "peak-MB")
	b.Logf("answers: %v", answers)
}
