package app

import (
	"context"
	"log/slog"
	"time"

	"earshot/internal/health"
	"earshot/internal/job"
	"earshot/internal/prometheus"
	"earshot/internal/share"
	"earshot/internal/store"
)

// scrapeTime limits how long a scrape waits for the database.
const scrapeTime = 2 * time.Second

var (
	busyWorkers       = prometheus.NewGauge("earshot_workers_busy", "Tasks that this node runs.")
	allWorkers        = prometheus.NewGauge("earshot_workers", "Tasks that this node can run at once.")
	queuedTasks       = prometheus.NewGauge("earshot_tasks_queued", "Tasks that wait, of all organizations.")
	runningJobs       = prometheus.NewGauge("earshot_jobs_running", "Tasks and calls under way, on all nodes.")
	fillRate          = prometheus.NewGauge("earshot_extraction_fill_ratio", "How often a field of a provider's results was filled, in the last hour, day, or the week before (baseline).", "provider", "surface", "field", "window")
	extractionAlarm   = prometheus.NewGauge("earshot_extraction_alarm", "1 when a field is filled far less often than before.", "provider", "surface", "field")
	unknownBlocks     = prometheus.NewGauge("earshot_extraction_unknown_blocks", "Blocks of result pages that nobody understood in the last day.", "provider", "surface")
	sharedCapacity    = prometheus.NewGauge("earshot_shared_capacity", "How much this node has of what accounts share, by pool.", "pool")
	sharedUsed        = prometheus.NewGauge("earshot_shared_used", "How much of it is in use.", "pool")
	sharedAccounts    = prometheus.NewGauge("earshot_shared_accounts", "How many accounts use it.", "pool")
	sharedLargest     = prometheus.NewGauge("earshot_shared_largest", "The most that one account uses.", "pool")
	sharedRefused     = prometheus.NewCounter("earshot_shared_refused_total", "How often more was refused, to accounts and to strangers.", "pool", "whose")
	clockAhead        = prometheus.NewGauge("earshot_clock_ahead_seconds", "How far this machine's clock is ahead of the time that the node trusts.")
	clockTrusted      = prometheus.NewGauge("earshot_clock_trusted", "0 while the clock needs attention, and the node is not ready.")
	oldestTransaction = prometheus.NewGauge("earshot_database_oldest_transaction_seconds", "Age of the oldest open transaction; PostgreSQL only.")
)

// gauges are read from the database at each scrape.
type gauges struct {
	jobs  *job.Runner
	store *store.Store
	pools map[string]*share.Pool
	log   *slog.Logger
}

// write reads them. Without a database it gives only those of the node itself.
func (g gauges) write(to *prometheus.Page) {
	to.Add(allWorkers, float64(g.jobs.Places().Stats().Capacity))
	to.Add(busyWorkers, float64(g.jobs.Busy()))
	ahead, err := g.store.ClockStatus()
	to.Add(clockAhead, ahead.Seconds())
	trusted := 1.0
	if err != nil {
		trusted = 0
	}
	to.Add(clockTrusted, trusted)
	for name, pool := range g.pools {
		s := pool.Stats()
		to.Add(sharedCapacity, float64(s.Capacity), name)
		to.Add(sharedUsed, float64(s.Used), name)
		to.Add(sharedAccounts, float64(s.Accounts), name)
		to.Add(sharedLargest, float64(s.Largest), name)
		for whose, n := range map[string]int64{"account": s.Refused, "stranger": s.RefusedStrangers} {
			to.Add(sharedRefused, float64(n), name, whose)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	load, err := g.store.Load(ctx)
	if err != nil {
		g.log.Warn("the queue could not be measured", "error", err)
		return
	}
	to.Add(queuedTasks, float64(load.Queued))
	to.Add(runningJobs, float64(load.Running))
	to.Add(oldestTransaction, load.OldestTransaction.Seconds())
	report, err := health.Report(ctx, g.store, time.Now())
	if err != nil {
		g.log.Warn("the health of parsers could not be read", "error", err)
		return
	}
	for _, p := range report {
		for _, f := range p.Fields {
			if f.Field == health.Blocks {
				to.Add(unknownBlocks, float64(f.LastDay.Seen-f.LastDay.Filled), p.Provider, string(p.Surface))
			}
			for window, rate := range map[string]*float64{"hour": f.LastHour.Rate, "day": f.LastDay.Rate, "baseline": f.Baseline} {
				if rate != nil {
					to.Add(fillRate, *rate, p.Provider, string(p.Surface), f.Field, window)
				}
			}
			alarm := 0.0
			if f.State == "alarm" {
				alarm = 1
			}
			to.Add(extractionAlarm, alarm, p.Provider, string(p.Surface), f.Field)
		}
	}
}
