package job

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"earshot/internal/store"
	"earshot/internal/upstream"
)

// Metrics counts what jobs do.
type Metrics struct {
	attempts *prometheus.HistogramVec
	jobs     *prometheus.CounterVec
	credits  *prometheus.CounterVec
	claims   prometheus.Histogram
	waits    prometheus.Histogram
}

// NewMetrics registers the metrics of jobs.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	with := promauto.With(reg)
	return &Metrics{
		attempts: with.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "earshot_attempt_duration_seconds",
			Help:    "Duration of one attempt at an upstream, by outcome: ok, the reason of a failure, or error.",
			Buckets: []float64{.01, .05, .1, .5, 1, 2, 5, 10, 20, 40, 80, 120},
		}, []string{"provider", "upstream", "outcome"}),
		jobs: with.NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_jobs_total",
			Help: "Settled jobs by provider, mode and status.",
		}, []string{"provider", "mode", "status"}),
		credits: with.NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_credits_charged_total",
			Help: "Credits charged.",
		}, []string{"provider"}),
		claims: with.NewHistogram(prometheus.HistogramOpts{
			Name:    "earshot_claim_duration_seconds",
			Help:    "Time to claim tasks from the queue.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .5, 1, 5},
		}),
		waits: with.NewHistogram(prometheus.HistogramOpts{
			Name:    "earshot_task_wait_seconds",
			Help:    "Time that tasks spent in the queue.",
			Buckets: []float64{.01, .05, .1, .5, 1, 5, 30, 60, 300, 1800, 3600, 21600},
		}),
	}
}

// Attempted counts an attempt at an upstream.
func (m *Metrics) Attempted(provider, upstreamName string, took time.Duration, err error) {
	m.attempts.WithLabelValues(provider, upstreamName, upstream.Outcome(err)).Observe(took.Seconds())
}

func (m *Metrics) claimed(began time.Time, started []*store.Job) {
	m.claims.Observe(time.Since(began).Seconds())
	for _, job := range started {
		m.waits.Observe(job.StartedAt.Sub(job.CreatedAt).Seconds())
	}
}

func (m *Metrics) ended(end *store.Settlement, err error) {
	job := end.Job
	status := string(end.Status)
	if err != nil {
		status = "UNSETTLED"
	}
	m.jobs.WithLabelValues(job.Provider, job.Mode, status).Inc()
	if err == nil {
		m.credits.WithLabelValues(job.Provider).Add(float64(end.Charge))
	}
}
