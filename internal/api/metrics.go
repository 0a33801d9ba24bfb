package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

func (m *metrics) observe(c *call) {
	m.requests.WithLabelValues(c.route.path, strconv.Itoa(c.status)).Observe(time.Since(c.started).Seconds())
}
