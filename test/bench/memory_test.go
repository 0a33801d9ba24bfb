package bench

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
