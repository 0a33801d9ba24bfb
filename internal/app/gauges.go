package app

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"earshot/internal/job"
	"earshot/internal/limits/share"
	"earshot/internal/provider/health"
	"earshot/internal/store"
)

// scrapeTime limits how long a scrape waits for the database.
const scrapeTime = 2 * time.Second

var (
	busyWorkers       = prometheus.NewDesc("earshot_workers_busy", "Tasks that this node runs.", nil, nil)
	allWorkers        = prometheus.NewDesc("earshot_workers", "Tasks that this node can run at once.", nil, nil)
	queuedTasks       = prometheus.NewDesc("earshot_tasks_queued", "Tasks that wait, of all organizations.", nil, nil)
	runningJobs       = prometheus.NewDesc("earshot_jobs_running", "Tasks and calls under way, on all nodes.", nil, nil)
	fillRate          = prometheus.NewDesc("earshot_extraction_fill_ratio", "How often a field of a provider's results was filled, in the last hour, day, or the week before (baseline).", []string{"provider", "surface", "field", "window"}, nil)
	extractionAlarm   = prometheus.NewDesc("earshot_extraction_alarm", "1 when a field is filled far less often than before.", []string{"provider", "surface", "field"}, nil)
	unknownBlocks     = prometheus.NewDesc("earshot_extraction_unknown_blocks", "Blocks of result pages that nobody understood in the last day.", []string{"provider", "surface"}, nil)
	sharedCapacity    = prometheus.NewDesc("earshot_shared_capacity", "How much this node has of what accounts share, by pool.", []string{"pool"}, nil)
	sharedUsed        = prometheus.NewDesc("earshot_shared_used", "How much of it is in use.", []string{"pool"}, nil)
	sharedAccounts    = prometheus.NewDesc("earshot_shared_accounts", "How many accounts use it.", []string{"pool"}, nil)
	sharedLargest     = prometheus.NewDesc("earshot_shared_largest", "The most that one account uses.", []string{"pool"}, nil)
	sharedRefused     = prometheus.NewDesc("earshot_shared_refused_total", "How often more was refused, to accounts and to strangers.", []string{"pool", "whose"}, nil)
	clockAhead        = prometheus.NewDesc("earshot_clock_ahead_seconds", "How far this machine's clock is ahead of the time that the node trusts.", nil, nil)
	clockTrusted      = prometheus.NewDesc("earshot_clock_trusted", "0 while the clock needs attention, and the node is not ready.", nil, nil)
	oldestTransaction = prometheus.NewDesc("earshot_database_oldest_transaction_seconds", "Age of the oldest open transaction; PostgreSQL only.", nil, nil)
)

// buildInfo returns a gauge that is always 1 and names the build in its labels.
func buildInfo() prometheus.Collector {
	version, revision := "development", "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		if build.Main.Version != "" && build.Main.Version != "(devel)" {
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
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "goversion": runtime.Version()},
	})
	info.Set(1)
	return info
}

// gauges are read from the database at each scrape.
type gauges struct {
	jobs  *job.Runner
	store *store.Store
	pools map[string]*share.Pool
	log   *slog.Logger
}

// Describe names the gauges.
func (g gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{busyWorkers, allWorkers, clockAhead, clockTrusted, queuedTasks, runningJobs, oldestTransaction, fillRate, extractionAlarm, unknownBlocks, sharedCapacity, sharedUsed, sharedAccounts, sharedLargest, sharedRefused} {
		to <- d
	}
}

// Collect reads them. Without a database it gives only those of the node itself.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(allWorkers, float64(g.jobs.Places().Stats().Capacity))
	gauge(busyWorkers, float64(g.jobs.Busy()))
	ahead, err := g.store.ClockStatus()
	gauge(clockAhead, ahead.Seconds())
	trusted := 1.0
	if err != nil {
		trusted = 0
	}
	gauge(clockTrusted, trusted)
	for name, pool := range g.pools {
		s := pool.Stats()
		gauge(sharedCapacity, float64(s.Capacity), name)
		gauge(sharedUsed, float64(s.Used), name)
		gauge(sharedAccounts, float64(s.Accounts), name)
		gauge(sharedLargest, float64(s.Largest), name)
		for whose, n := range map[string]int64{"account": s.Refused, "stranger": s.RefusedStrangers} {
			to <- prometheus.MustNewConstMetric(sharedRefused, prometheus.CounterValue, float64(n), name, whose)
		}
	}
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
	report, err := health.Report(ctx, g.store, time.Now())
	if err != nil {
		g.log.Warn("the health of parsers could not be read", "error", err)
		return
	}
	for _, p := range report {
		for _, f := range p.Fields {
			if f.Field == health.Blocks {
				gauge(unknownBlocks, float64(f.LastDay.Seen-f.LastDay.Filled), p.Provider, string(p.Surface))
			}
			for window, rate := range map[string]*float64{"hour": f.LastHour.Rate, "day": f.LastDay.Rate, "baseline": f.Baseline} {
				if rate != nil {
					gauge(fillRate, *rate, p.Provider, string(p.Surface), f.Field, window)
				}
			}
			alarm := 0.0
			if f.State == "alarm" {
				alarm = 1
			}
			gauge(extractionAlarm, alarm, p.Provider, string(p.Surface), f.Field)
		}
	}
}
