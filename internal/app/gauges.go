package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"earshot/internal/job"
	"earshot/internal/store"
)

// scrapeTime bounds how long a scrape waits for the database.
const scrapeTime = 2 * time.Second

var (
	busyWorkers       = prometheus.NewDesc("earshot_workers_busy", "Tasks that this node runs.", nil, nil)
	allWorkers        = prometheus.NewDesc("earshot_workers", "Tasks that this node can run at once.", nil, nil)
	queuedTasks       = prometheus.NewDesc("earshot_tasks_queued", "Tasks that wait, of all organizations.", nil, nil)
	runningJobs       = prometheus.NewDesc("earshot_jobs_running", "Tasks and calls under way, on all nodes.", nil, nil)
	oldestTransaction = prometheus.NewDesc("earshot_database_oldest_transaction_seconds", "Age of the oldest open transaction; PostgreSQL only.", nil, nil)
)

// gauges tell at each scrape how the queue stands.
type gauges struct {
	jobs  *job.Runner
	store *store.Store
	log   *slog.Logger
}

// Describe names the gauges.
func (g gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{busyWorkers, allWorkers, queuedTasks, runningJobs, oldestTransaction} {
		to <- d
	}
}

// Collect reads them. Without a database the node's own are all there is.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	gauge(allWorkers, float64(g.jobs.Workers))
	gauge(busyWorkers, float64(g.jobs.Busy()))
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	load, err := g.store.Load(ctx)
	if err != nil {
		g.log.Warn("the queue could not be measured", "error", err)
		return
	}
	gauge(queuedTasks, float64(load.Queued))
	gauge(runningJobs, float64(load.Running))
	gauge(oldestTransaction, load.OldestTransaction.Seconds())
}
