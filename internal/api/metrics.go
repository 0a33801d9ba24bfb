package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type metrics struct {
	requests *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "earshot_http_request_duration_seconds",
		Help:    "Time from a request's arrival to the end of its response.",
		Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60, 120, 300},
	}, []string{"route", "status"})}
	reg.MustRegister(m.requests)
	return m
}

// serveMetrics shows the node's metrics.
func (s *Server) serveMetrics(c *call) error {
	return c.handled(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{}))
}

func (m *metrics) observe(c *call) {
	m.requests.WithLabelValues(c.route.Path, strconv.Itoa(c.status)).Observe(time.Since(c.started).Seconds())
}
