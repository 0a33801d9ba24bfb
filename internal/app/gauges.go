package app

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"earshot/internal/job"
	"earshot/internal/limits/share"
	"earshot/internal/store"
)

// scrapeTime is the database timeout of a scrape.
const scrapeTime = 2 * time.Second

var (
	nodeReady         = prometheus.NewDesc("earshot_ready", "0 if the node stops, cannot write to its database, or does not trust its clock.", nil, nil)
	busyWorkers       = prometheus.NewDesc("earshot_workers_busy", "Tasks that this node runs.", nil, nil)
	allWorkers        = prometheus.NewDesc("earshot_workers", "Tasks that this node can run at once.", nil, nil)
	queuedTasks       = prometheus.NewDesc("earshot_tasks_queued", "Queued tasks of all organizations.", nil, nil)
	runningJobs       = prometheus.NewDesc("earshot_jobs_running", "Running tasks and calls on all nodes.", nil, nil)
	sharedCapacity    = prometheus.NewDesc("earshot_shared_capacity", "Units of a resource that accounts share on this node, by pool.", []string{"pool"}, nil)
	sharedUsed        = prometheus.NewDesc("earshot_shared_used", "Units in use, by pool.", []string{"pool"}, nil)
	sharedAccounts    = prometheus.NewDesc("earshot_shared_accounts", "Accounts that use units, by pool.", []string{"pool"}, nil)
	sharedLargest     = prometheus.NewDesc("earshot_shared_largest", "Most units that one account uses, by pool.", []string{"pool"}, nil)
	sharedRefused     = prometheus.NewDesc("earshot_shared_refused_total", "Refusals because a pool was used up. A pool with the name of an operation is for clients without a key.", []string{"pool"}, nil)
	clockAhead        = prometheus.NewDesc("earshot_clock_ahead_seconds", "Seconds by which this machine's clock is ahead of the trusted time.", nil, nil)
	clockTrusted      = prometheus.NewDesc("earshot_clock_trusted", "0 if the clock is not trusted; then the node is not ready.", nil, nil)
	oldestTransaction = prometheus.NewDesc("earshot_database_oldest_transaction_seconds", "Age of the oldest open transaction; PostgreSQL only.", nil, nil)
	silentShards      = prometheus.NewDesc("earshot_database_silent_shards", "Shards whose worker does not answer this node; Citus only.", nil, nil)
	indirectShards    = prometheus.NewDesc("earshot_database_indirect_shards", "Shards that this node reaches through the coordinator because it cannot connect to their worker; Citus only.", nil, nil)
)

// buildInfo returns a gauge that is always 1. Its labels describe the build.
func buildInfo(version string) prometheus.Collector {
	revision := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		if version == "" && build.Main.Version != "(devel)" {
			version = build.Main.Version
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "earshot_build_info",
		Help:        "Always 1. The labels name the version and the revision of this program, and its version of Go.",
		ConstLabels: prometheus.Labels{"version": cmp.Or(version, "development"), "revision": revision, "goversion": runtime.Version()},
	})
	info.Set(1)
	return info
}

// gauges collects gauges at each scrape, some of them from the database.
type gauges struct {
	jobs  *job.Runner
	store *store.Store
	pools map[string]*share.Pool
	log   *slog.Logger
}

// Describe implements prometheus.Collector.
func (g gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{nodeReady, busyWorkers, allWorkers, clockAhead, clockTrusted, queuedTasks, runningJobs, oldestTransaction, silentShards, indirectShards, sharedCapacity, sharedUsed, sharedAccounts, sharedLargest, sharedRefused} {
		to <- d
	}
}

// Collect implements prometheus.Collector. If the database does not answer, it reports only
// the gauges of the node itself.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(nodeReady, oneIf(!g.jobs.Draining() && g.jobs.Ready() == nil))
	gauge(allWorkers, float64(g.jobs.Places().Stats().Capacity))
	gauge(busyWorkers, float64(g.jobs.Busy()))
	ahead, err := g.store.ClockStatus()
	gauge(clockAhead, ahead.Seconds())
	gauge(clockTrusted, oneIf(err == nil))
	silent, indirect := g.store.ShardCount()
	gauge(silentShards, float64(silent))
	gauge(indirectShards, float64(indirect))
	for name, pool := range g.pools {
		s := pool.Stats()
		gauge(sharedCapacity, float64(s.Capacity), name)
		gauge(sharedUsed, float64(s.Used), name)
		gauge(sharedAccounts, float64(s.Accounts), name)
		gauge(sharedLargest, float64(s.Largest), name)
		to <- prometheus.MustNewConstMetric(sharedRefused, prometheus.CounterValue, float64(s.Refused), name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	load, err := g.store.Load(ctx)
	if err != nil {
		g.log.Warn("read the length of the queue", "error", err)
		return
	}
	gauge(queuedTasks, float64(load.Queued))
	gauge(runningJobs, float64(load.Running))
	gauge(oldestTransaction, load.OldestTransaction.Seconds())
}

// oneIf returns 1 if the condition is true, and 0 otherwise.
func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
