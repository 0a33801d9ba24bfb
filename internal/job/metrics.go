package job

import (
	"time"

	"earshot/internal/prometheus"
	"earshot/internal/store"
	"earshot/internal/upstream"
)

// Metrics counts what jobs do.
type Metrics struct {
	attempts *prometheus.Histogram
	jobs     *prometheus.Counter
	credits  *prometheus.Counter
	claims   *prometheus.Histogram
	waits    *prometheus.Histogram
}

// NewMetrics registers the metrics of jobs.
func NewMetrics(reg *prometheus.Registry) *Metrics {
	return &Metrics{
		attempts: reg.Histogram("earshot_attempt_duration_seconds",
			"Time of one attempt against an upstream, by outcome: ok, a failure's reason, or error.",
			[]float64{.01, .05, .1, .5, 1, 2, 5, 10, 20, 40, 80, 120}, "provider", "upstream", "outcome"),
		jobs:    reg.Counter("earshot_jobs_total", "Jobs settled, by how they ended.", "provider", "mode", "status"),
		credits: reg.Counter("earshot_credits_charged_total", "Credits charged.", "provider"),
		claims: reg.Histogram("earshot_claim_duration_seconds", "Time to claim tasks from the queue.",
			[]float64{.001, .002, .005, .01, .02, .05, .1, .5, 1, 5}),
		waits: reg.Histogram("earshot_task_wait_seconds", "Time that tasks spent in the queue.",
			[]float64{.01, .05, .1, .5, 1, 5, 30, 60, 300, 1800, 3600, 21600}),
	}
}

func (m *Metrics) attempted(provider, upstreamName string, started time.Time, err error) {
	m.attempts.Observe(time.Since(started).Seconds(), provider, upstreamName, upstream.Outcome(err))
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
	m.jobs.Add(1, job.Provider, job.Mode, status)
	if err == nil {
		m.credits.Add(float64(end.Charge), job.Provider)
	}
}
