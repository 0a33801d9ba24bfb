package job

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"earshot/internal/store"
	"earshot/internal/upstream"
)

// Metrics counts what jobs do.
type Metrics struct {
	attempts *prometheus.HistogramVec
	jobs     *prometheus.CounterVec
	credits  *prometheus.CounterVec
}

// NewMetrics registers the metrics of jobs.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "earshot_attempt_duration_seconds",
			Help:    "Time of one attempt against an upstream, by outcome: ok, a failure's reason, or error.",
			Buckets: []float64{.01, .05, .1, .5, 1, 2, 5, 10, 20, 40, 80, 120},
		}, []string{"provider", "outcome"}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_jobs_total",
			Help: "Jobs settled, by how they ended.",
		}, []string{"provider", "mode", "status"}),
		credits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_credits_charged_total",
			Help: "Credits charged.",
		}, []string{"provider"}),
	}
	reg.MustRegister(m.attempts, m.jobs, m.credits)
	return m
}

func (m *Metrics) attempted(provider string, started time.Time, err error) {
	outcome := "ok"
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		outcome = string(failure.Reason)
	} else if err != nil {
		outcome = "error"
	}
	m.attempts.WithLabelValues(provider, outcome).Observe(time.Since(started).Seconds())
}

func (m *Metrics) ended(job store.Job, end store.Settlement, err error) {
	status := string(end.Status)
	if err != nil {
		status = "UNSETTLED"
	}
	m.jobs.WithLabelValues(job.Provider, job.Mode, status).Inc()
	if err == nil {
		m.credits.WithLabelValues(job.Provider).Add(float64(end.Charge))
	}
}
