package prometheus_test

import (
	"bytes"
	"maps"
	"math"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	model "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"

	"earshot/internal/prometheus"
)

// show gives the page, and what the parser of Prometheus reads in it.
func show(t *testing.T, r *prometheus.Registry) (string, map[string]*model.MetricFamily) {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the type is %s", got)
	}
	parser := expfmt.NewTextParser(names.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, w.Body)
	}
	return w.Body.String(), families
}

func TestThePageIsTheTextOfPrometheus(t *testing.T) {
	t.Parallel()
	r := prometheus.NewRegistry()
	tries := r.Counter("tries_total", `Tries, by "outcome" \ or so.`, "outcome", "of")
	r.Counter("nothing_total", "Is shown when something was counted.", "of")
	waits := r.Histogram("wait_seconds", "Waits.", []float64{.1, 1})
	sizes := r.Histogram("size_bytes", "Sizes.", []float64{10, 20}, "of")
	free := prometheus.NewGauge("free", "What is\nfree.", "of")
	r.Read(func(p *prometheus.Page) {
		p.Add(free, -1.5, "z")
		p.Add(free, math.Inf(1), "a")
	})
	tries.Add(1, "ok", "b")
	tries.Add(2.5, "ok", "b")
	tries.Add(1, "a \"quote\", a \\ and\na line \xff", "")
	for _, size := range []float64{10, 10.1, 20, 21, 1e9} {
		sizes.Observe(size, "é")
	}
	const want = `# HELP free What is\nfree.
# TYPE free gauge
free{of="a"} +Inf
free{of="z"} -1.5
# HELP size_bytes Sizes.
# TYPE size_bytes histogram
size_bytes_bucket{of="é",le="10"} 1
size_bytes_bucket{of="é",le="20"} 3
size_bytes_bucket{of="é",le="+Inf"} 5
size_bytes_sum{of="é"} 1.0000000611e+09
size_bytes_count{of="é"} 5
# HELP tries_total Tries, by "outcome" \\ or so.
# TYPE tries_total counter
tries_total{outcome="a \"quote\", a \\ and\na line ",of=""} 1
tries_total{outcome="ok",of="b"} 3.5
# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} 0
wait_seconds_bucket{le="1"} 0
wait_seconds_bucket{le="+Inf"} 0
wait_seconds_sum 0
wait_seconds_count 0
`
	got, read := show(t, r)
	if got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
	if family := read["tries_total"]; family.GetHelp() != `Tries, by "outcome" \ or so.` || !strings.HasPrefix(family.GetMetric()[0].GetLabel()[0].GetValue(), "a \"quote\", a \\ and\na line") {
		t.Errorf("Prometheus reads %v", family)
	}
	waits.Observe(.1)
	if _, read := show(t, r); read["wait_seconds"].GetMetric()[0].GetHistogram().GetBucket()[0].GetCumulativeCount() != 1 {
		t.Errorf("Prometheus reads %v", read["wait_seconds"])
	}
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	r := prometheus.NewRegistry()
	c, h := r.Counter("c", "C.", "of"), r.Histogram("h", "H.", []float64{1}, "of")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				c.Add(1, "x")
				h.Observe(1, "x")
				show(t, r)
			}
		})
	}
	all.Wait()
	_, read := show(t, r)
	if n := read["c"].GetMetric()[0].GetCounter().GetValue(); n != 800 {
		t.Errorf("%v were counted", n)
	}
	if n := read["h"].GetMetric()[0].GetHistogram().GetSampleCount(); n != 800 {
		t.Errorf("%v were observed", n)
	}
}

// TestWhatDashboardsForGoKnow holds the names and the types of the official client.
func TestWhatDashboardsForGoKnow(t *testing.T) {
	t.Parallel()
	r := prometheus.NewRegistry()
	r.Read(prometheus.Runtime)
	r.Read(prometheus.Process)
	_, read := show(t, r)
	var got []string
	for _, name := range slices.Sorted(maps.Keys(read)) {
		got = append(got, name+" "+strings.ToLower(read[name].GetType().String()))
	}
	want, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(got, "\n") + "\n"; text != string(want) {
		t.Errorf("the metrics are\n%s\nwant\n%s", text, want)
	}
	value := func(name string) float64 {
		m := read[name].GetMetric()[0]
		return m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	for name, least := range map[string]float64{
		"go_goroutines": 1, "go_threads": 1, "go_memstats_sys_bytes": 1 << 20, "go_memstats_mallocs_total": 1,
		"process_open_fds": 3, "process_max_fds": 3, "process_resident_memory_bytes": 1 << 20, "process_virtual_memory_bytes": value("process_resident_memory_bytes"),
		"process_virtual_memory_max_bytes": 1 << 20, "process_start_time_seconds": 1.7e9,
	} {
		if value(name) < least {
			t.Errorf("%s is %v, want %v at least", name, value(name), least)
		}
	}
}
