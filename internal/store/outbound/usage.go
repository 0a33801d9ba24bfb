package outbound

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/engine"
	"earshot/internal/store/latency"
)

// upstreamUsageRow counts the requests of an organization to an upstream on one day, and their charges.
type upstreamUsageRow struct {
	organization, upstream, provider string
	day                              int64 // since 1970, UTC
	answered, failed, chargedFailed  int64
	microUSD, estimatedMicroUSD      int64 // before version 27 of the schema
	nanoUSD, estimatedNanoUSD        int64 // since then
}

// upstreamStatsRow counts the requests to an upstream in one hour that took equally long.
type upstreamStatsRow struct {
	organization, upstream, provider string
	hour                             int64 // since 1970
	ms                               int64 // rounded down
	answered, failed                 int64
}

var (
	upstreamUsageTable = engine.NewTable("upstream_usage",
		engine.Field("organization", "uuid", func(r *upstreamUsageRow) *string { return &r.organization }),
		engine.IntField("day", func(r *upstreamUsageRow) *int64 { return &r.day }),
		engine.TextField("upstream", func(r *upstreamUsageRow) *string { return &r.upstream }),
		engine.TextField("provider", func(r *upstreamUsageRow) *string { return &r.provider }),
		engine.IntField("answered", func(r *upstreamUsageRow) *int64 { return &r.answered }),
		engine.IntField("failed", func(r *upstreamUsageRow) *int64 { return &r.failed }),
		engine.IntField("charged_failed", func(r *upstreamUsageRow) *int64 { return &r.chargedFailed }),
		engine.IntField("micro_usd", func(r *upstreamUsageRow) *int64 { return &r.microUSD }),
		engine.IntField("estimated_usd", func(r *upstreamUsageRow) *int64 { return &r.estimatedMicroUSD }),
		engine.IntField("nano_usd", func(r *upstreamUsageRow) *int64 { return &r.nanoUSD }),
		engine.IntField("estimated_nano_usd", func(r *upstreamUsageRow) *int64 { return &r.estimatedNanoUSD }))
	addToUpstreamUsage = upstreamUsageTable.Insert(`
		ON CONFLICT (organization, day, upstream, provider) DO UPDATE SET
			answered = upstream_usage.answered + excluded.answered, failed = upstream_usage.failed + excluded.failed,
			charged_failed = upstream_usage.charged_failed + excluded.charged_failed,
			nano_usd = upstream_usage.nano_usd + excluded.nano_usd, estimated_nano_usd = upstream_usage.estimated_nano_usd + excluded.estimated_nano_usd`)

	upstreamStatsTable = engine.NewTable("upstream_statistics",
		engine.Field("organization", "uuid", func(r *upstreamStatsRow) *string { return &r.organization }),
		engine.IntField("hour", func(r *upstreamStatsRow) *int64 { return &r.hour }),
		engine.TextField("upstream", func(r *upstreamStatsRow) *string { return &r.upstream }),
		engine.TextField("provider", func(r *upstreamStatsRow) *string { return &r.provider }),
		engine.IntField("ms", func(r *upstreamStatsRow) *int64 { return &r.ms }),
		engine.IntField("answered", func(r *upstreamStatsRow) *int64 { return &r.answered }),
		engine.IntField("failed", func(r *upstreamStatsRow) *int64 { return &r.failed }))
	addToUpstreamStats = upstreamStatsTable.Insert(`
		ON CONFLICT (organization, hour, upstream, provider, ms) DO UPDATE SET
			answered = upstream_statistics.answered + excluded.answered, failed = upstream_statistics.failed + excluded.failed`)
)

// Use is an attempt of a job at one upstream.
type Use struct {
	Upstream string
	Paid     bool           // the operator pays for requests to this upstream
	Reason   earshot.Reason // why it failed; "" if it answered
	Took     time.Duration
	// Charged is what its purchases were charged, in units of 1e-9 USD. It is booked already.
	Charged   int64
	Estimated bool // the upstream did not report a part of it
}

// Charge is an amount that an upstream charged, in units of 1e-9 USD. It is negative if it corrects an
// earlier estimate.
type Charge struct {
	Organization, Upstream, Provider string
	At                               time.Time
	Amount                           int64
	Estimated                        bool // the upstream did not report it
}

// Book adds charges to the usage of upstreams. The locked rows of the organizations keep others from
// writing the same counters.
func Book(ctx context.Context, tx *engine.Tx, charges []Charge) error {
	for _, c := range charges {
		row := &upstreamUsageRow{organization: c.Organization, upstream: c.Upstream, provider: c.Provider, day: engine.Millis(c.At) / dayMillis, nanoUSD: c.Amount}
		if c.Estimated {
			row.estimatedNanoUSD = c.Amount
		}
		if err := engine.Each(ctx, tx, addToUpstreamUsage, []*upstreamUsageRow{row}, nil); err != nil {
			return err
		}
	}
	return nil
}

// JobUse is a request of a job.
type JobUse struct {
	Organization, Provider string
	At                     time.Time
	Use
}

// UsesOf returns uses as the requests of a job that ended at a time.
func UsesOf(organization, provider string, at time.Time, uses []Use) (all []JobUse) {
	for _, use := range uses {
		all = append(all, JobUse{organization, provider, at, use})
	}
	return all
}

// CountUses counts requests to upstreams. The lab costs nothing and is left out. The locked rows
// of the organizations keep others from writing the same counters.
func CountUses(ctx context.Context, tx *engine.Tx, uses []JobUse) error {
	type key struct {
		organization, upstream, provider string
		time, ms                         int64
	}
	usage, stats := map[key]*upstreamUsageRow{}, map[key]*upstreamStatsRow{}
	for _, use := range uses {
		day, hour := engine.Millis(use.At)/dayMillis, engine.Millis(use.At)/hourMillis
		ms := latency.Round(use.Took.Milliseconds())
		usageKey, statsKey := key{use.Organization, use.Upstream, use.Provider, day, 0}, key{use.Organization, use.Upstream, use.Provider, hour, ms}
		if usage[usageKey] == nil {
			usage[usageKey] = &upstreamUsageRow{organization: use.Organization, upstream: use.Upstream, provider: use.Provider, day: day}
		}
		if stats[statsKey] == nil {
			stats[statsKey] = &upstreamStatsRow{organization: use.Organization, upstream: use.Upstream, provider: use.Provider, hour: hour, ms: ms}
		}
		u, s := usage[usageKey], stats[statsKey]
		if use.Reason == "" {
			u.answered, s.answered = u.answered+1, s.answered+1
		} else {
			u.failed, s.failed = u.failed+1, s.failed+1
			if use.Charged > 0 {
				u.chargedFailed++
			}
		}
	}
	compare := func(a, b key) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.time, b.time), cmp.Compare(a.upstream, b.upstream),
			cmp.Compare(a.provider, b.provider), cmp.Compare(a.ms, b.ms))
	}
	if err := engine.Each(ctx, tx, addToUpstreamUsage, valuesInOrder(usage, compare), nil); err != nil {
		return err
	}
	return engine.Each(ctx, tx, addToUpstreamStats, valuesInOrder(stats, compare), nil)
}

func valuesInOrder[K comparable, V any](values map[K]V, compare func(a, b K) int) (list []V) {
	for _, key := range slices.SortedFunc(maps.Keys(values), compare) {
		list = append(list, values[key])
	}
	return list
}

// UpstreamUsage returns what upstreams charged for an organization, by day, upstream and
// provider, from one day to another, both included.
func (s *Store) UpstreamUsage(ctx context.Context, organization string, from, to time.Time) (usage []earshot.UpstreamUsage, err error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Reports, upstreamUsageTable,
		`WHERE organization = $1 AND day >= $2 AND day <= $3 ORDER BY day, upstream, provider`,
		organization, engine.Millis(from)/dayMillis, engine.Millis(to)/dayMillis)
	if err != nil {
		return nil, fmt.Errorf("read the usage of upstreams: %w", err)
	}
	for _, row := range rows {
		usage = append(usage, earshot.UpstreamUsage{
			Date: time.UnixMilli(row.day * dayMillis).UTC().Format(time.DateOnly), Upstream: row.upstream, Provider: row.provider,
			Answered: row.answered, Failed: row.failed, ChargedFailures: row.chargedFailed,
			USD: usd(row.microUSD, row.nanoUSD), EstimatedUSD: usd(row.estimatedMicroUSD, row.estimatedNanoUSD),
		})
	}
	return usage, nil
}

// usd returns the sum of two amounts, in units of 1e-6 and 1e-9 USD, in USD.
func usd(micro, nano int64) float64 { return float64(micro*1000+nano) / 1e9 }

// UpstreamStats is how an upstream answered an organization's requests for a provider.
type UpstreamStats struct {
	Upstream, Provider string
	Answered, Failed   int64
	P50Ms, P95Ms       *int64 // of answered and failed requests
}

// UpstreamStats returns how upstreams answered an organization from the hour of a moment on.
func (s *Store) UpstreamStats(ctx context.Context, organization string, from time.Time) ([]UpstreamStats, error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Reports, upstreamStatsTable,
		`WHERE organization = $1 AND hour >= $2 ORDER BY upstream, provider, ms`, organization, engine.Millis(from)/hourMillis)
	if err != nil {
		return nil, fmt.Errorf("read the statistics of upstreams: %w", err)
	}
	var stats []UpstreamStats
	for len(rows) > 0 {
		first := rows[0]
		n := slices.IndexFunc(rows, func(r *upstreamStatsRow) bool { return r.upstream != first.upstream || r.provider != first.provider })
		if n < 0 {
			n = len(rows)
		}
		one := UpstreamStats{Upstream: first.upstream, Provider: first.provider}
		var times latency.Times
		for _, row := range rows[:n] {
			one.Answered, one.Failed = one.Answered+row.answered, one.Failed+row.failed
			times.Add(row.ms, row.answered+row.failed)
		}
		one.P50Ms, one.P95Ms = times.Percentile(50), times.Percentile(95)
		stats, rows = append(stats, one), rows[n:]
	}
	return stats, nil
}

// DeleteUpstreamStats deletes the statistics of hours before a time.
func (s *Store) DeleteUpstreamStats(before time.Time) error {
	err := s.RunOnAllShards(`DELETE FROM upstream_statistics WHERE hour < $1`, engine.Millis(before)/hourMillis)
	return engine.Wrap(err, "delete statistics of upstreams")
}
