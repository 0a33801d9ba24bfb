// Package prometheus counts and times what a node does, for Prometheus to read: the
// text format of https://prometheus.io/docs/instrumenting/exposition_formats/.
//
//	prometheus.go  counters, histograms, and what is read when somebody looks
//	page.go        the text
//	runtime.go     metrics of the Go runtime and of the process
//
// The official client does the same and makes protobuf and a reader of all of /proc a
// part of the build.
package prometheus

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Metric is what is measured: a name, what it means, and the names of its labels.
type Metric struct {
	name, help, kind string
	labels           []string
}

// NewGauge describes what goes up and down, for a Page.
func NewGauge(name, help string, labels ...string) *Metric {
	return &Metric{name, help, "gauge", labels}
}

// NewCounter describes what only grows, for a Page.
func NewCounter(name, help string, labels ...string) *Metric {
	return &Metric{name, help, "counter", labels}
}

// Registry is the metrics of a node. It is safe for concurrent use.
type Registry struct {
	mu      sync.Mutex
	writers []func(*Page)
}

// NewRegistry makes a registry without metrics.
func NewRegistry() *Registry { return &Registry{} }

// Read has a function write metrics whenever somebody looks.
func (r *Registry) Read(write func(*Page)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writers = append(r.writers, write)
}

// ServeHTTP shows all metrics.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	writers := slices.Clone(r.writers)
	r.mu.Unlock()
	var page Page
	for _, write := range writers {
		write(&page)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(page.text()) // the reader may be gone
}

// series are the values of a metric, one for each combination of labels that occurred.
type series[V any] struct {
	metric *Metric
	mu     sync.Mutex
	values map[string]V // by the values of labels, joined
}

const joint = "\xff" // is in no text

func (s *series[V]) each(write func(labels []string, value V)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, value := range s.values {
		if len(s.metric.labels) == 0 {
			write(nil, value)
			continue
		}
		write(strings.Split(key, joint), value)
	}
}

// Counter counts what only grows. It is safe for concurrent use.
type Counter struct{ series[float64] }

// Counter makes a counter that is shown for each combination of labels that was counted.
func (r *Registry) Counter(name, help string, labels ...string) *Counter {
	c := &Counter{series[float64]{metric: NewCounter(name, help, labels...), values: map[string]float64{}}}
	r.Read(func(p *Page) {
		c.each(func(labels []string, value float64) { p.Add(c.metric, value, labels...) })
	})
	return c
}

// Add counts n more for the values of labels.
func (c *Counter) Add(n float64, labels ...string) {
	key := strings.Join(labels, joint)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] += n
}

// Histogram counts values by size. It is safe for concurrent use.
type Histogram struct {
	series[*sizes]
	bounds []float64
}

// sizes are the values that were observed: how many up to each bound but above the one
// before, the last being without a bound, and their sum.
type sizes struct {
	counts []uint64
	sum    float64
}

// Histogram makes a histogram with upper bounds, in ascending order. One without labels
// is shown before anything was observed.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) *Histogram {
	h := &Histogram{series[*sizes]{metric: &Metric{name, help, "histogram", labels}, values: map[string]*sizes{}}, bounds}
	if len(labels) == 0 {
		h.values[""] = h.none()
	}
	r.Read(func(p *Page) {
		h.each(func(labels []string, s *sizes) { p.histogram(h.metric, labels, bounds, s) })
	})
	return h
}

func (h *Histogram) none() *sizes { return &sizes{counts: make([]uint64, len(h.bounds)+1)} }

// Observe counts a value for the values of labels.
func (h *Histogram) Observe(value float64, labels ...string) {
	key := strings.Join(labels, joint)
	at, _ := slices.BinarySearch(h.bounds, value) // a bound belongs to what is below it
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.values[key]
	if !ok {
		s = h.none()
		h.values[key] = s
	}
	s.counts[at]++
	s.sum += value
}
