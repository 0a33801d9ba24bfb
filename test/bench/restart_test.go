package bench

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/store/storetest"
	"earshot/test/load"
)

// BenchmarkRestart measures how long a node in a process of its own takes from its start
// until it says that it is ready, with an empty database and with a million tasks that
// wait. Each node but the first follows one that was killed.
func BenchmarkRestart(b *testing.B) {
	const starts = 5
	binary := load.Build(b)
	for _, db := range databases {
		for _, queued := range []int{0, 1_000_000} {
			b.Run(fmt.Sprintf("%s/queued=%d", db.name, queued), func(b *testing.B) {
				address := db.address(b)
				s := storetest.Open(b, address)
				fillWith(b, s, "chatassistant", organizations(b, s, 100), queued)
				var times []time.Duration
				for b.Loop() {
					for range starts {
						began := time.Now()
						node := load.Start(b, binary, address)
						untilReady(b, node)
						times = append(times, time.Since(began))
						node.Kill()
					}
				}
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1000, "ready-p50-ms")
				b.ReportMetric(times[len(times)-1].Seconds()*1000, "ready-worst-ms")
			})
		}
	}
}

// BenchmarkStop sends SIGTERM to a node that answers 200 calls a second, each of which takes
// 2 s. dropped counts calls that the node accepted and did not answer.
func BenchmarkStop(b *testing.B) {
	binary := load.Build(b)
	for _, db := range databases {
		b.Run(db.name, func(b *testing.B) {
			for b.Loop() {
				node := load.Start(b, binary, db.address(b))
				key := node.Accounts(b, load.Unlimited, 1)[0]
				client := load.NewClient(node.BaseURL)
				over, ended := make(chan struct{}), make(chan *load.Result)
				go func() {
					ended <- load.Open(client, 200, time.Hour, over, load.Post(key, "/v1/monitor/chatassistant", `{"prompt": "shoes [[delay=2s]]", "country": "US"}`))
				}()
				<-time.After(5 * time.Second) // many are in flight
				began := time.Now()
				err := node.Stop()
				b.ReportMetric(time.Since(began).Seconds(), "stop-s")
				close(over)
				got, dropped := <-ended, 0
				client.Close()
				for reason, n := range got.Errors {
					if !strings.Contains(reason, "refused") { // nobody listens any more
						dropped += n
					}
				}
				if err != nil || len(got.Answers[http.StatusOK]) == 0 {
					b.Errorf("SIGTERM ended the node with %v; answers: %v", err, got.Answers)
				}
				b.ReportMetric(float64(dropped), "dropped")
				b.Logf("200: %s | 503: %s | %v", got.Answers[200], got.Answers[503], got.Errors)
			}
		})
	}
}

func untilReady(b *testing.B, node *load.Program) {
	b.Helper()
	client := load.NewClient(node.BaseURL)
	defer client.Close()
	again, end := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer again.Stop()
	for {
		status, err := client.Do(load.Get("", "/readyz"))
		if status == http.StatusOK {
			return
		}
		select {
		case <-again.C:
		case <-end:
			b.Fatalf("not ready within a minute: %d, %v", status, err)
		}
	}
}
