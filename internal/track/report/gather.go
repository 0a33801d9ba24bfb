package report

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
)

// Reporter builds reports and sends the scheduled ones.
type Reporter struct {
	store       *tracking.Store
	alerts      *alerting.Store
	definitions *definition.Reader
	counter     *aggregate.Counter
	numbers     *numbers.Reader
	log         *slog.Logger
	planned     func() // called after deliveries were queued
}

// NewReporter returns a Reporter on a store.
func NewReporter(s *store.Store, d *definition.Reader, c *aggregate.Counter, n *numbers.Reader, log *slog.Logger, planned func()) *Reporter {
	return &Reporter{tracking.New(s), alerting.New(s), d, c, n, log, planned}
}

// reportMetrics are the metrics that a report shows.
const reportMetrics = "visibility,shareOfVoice,firstNamed,citationRate,coverage,refusal,informative," +
	"searched,fanout,retrievalRate@m2,citationRate@m2,citedWhenRetrieved,productVisibility,adRate,paidShare,organicVisibility,overviewRate"

// Report reads the content of a report that compares one period with another. Returns
// store.ErrNotFound.
func (s *Reporter) Report(ctx context.Context, organization, name string, q *earshot.ReportQuery, now time.Time) (*Input, error) {
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	periods := &earshot.CompareQuery{MetricFilter: earshot.MetricFilter{From: q.From, To: q.To}, BaselineFrom: q.BaselineFrom, BaselineTo: q.BaselineTo}
	before, after, err := numbers.Periods(d.Zone(), periods, now)
	if err != nil {
		return nil, err
	}
	in := &Input{Tracker: cmp.Or(d.Title, name), Created: now}
	if in.Zone, err = time.LoadLocation(d.Zone().Zone()); err != nil {
		return nil, fmt.Errorf("load the time zone of tracker %s: %w", name, err)
	}
	if in.Compare, err = s.numbers.Compare(ctx, organization, name, periods, now); err != nil {
		return nil, err
	}
	within := after.Filter()
	if in.Numbers, err = s.numbers.Metrics(ctx, organization, name, &earshot.MetricQuery{Metric: reportMetrics, By: "brand", MetricFilter: within}); err != nil {
		return nil, err
	}
	if in.Targets, err = s.numbers.Metrics(ctx, organization, name, &earshot.MetricQuery{Metric: "visibility", By: "surface,target", MetricFilter: within}); err != nil {
		return nil, err
	}
	if err := s.reportSources(ctx, organization, name, in, before, after); err != nil {
		return nil, err
	}
	if err := s.reportSweeps(ctx, t, in, before, after); err != nil {
		return nil, err
	}
	b, err := s.counter.Count(ctx, t, d, aggregate.Options{Families: []metric.Family{metric.OfNames}}, before, after)
	if err != nil {
		return nil, err
	}
	return in, reportInto(b, in, before, after)
}

// reportSources reads the sources that answers cite. A report with too many answers to
// count has no sources.
func (s *Reporter) reportSources(ctx context.Context, organization, name string, in *Input, before, after definition.Span) (err error) {
	read := func(within definition.Span) (*earshot.SourceReport, error) {
		return s.numbers.SourceShares(ctx, organization, name, &earshot.SourceQuery{Limit: MaxSources, MetricFilter: within.Filter()})
	}
	if in.Sources, err = read(after); err == nil {
		in.SourcesBefore, err = read(before)
	}
	if earshot.ErrorCode(err) == earshot.CodeValidation {
		in.Sources, in.SourcesBefore = nil, nil
		in.NoSources = "This period has too many answers to count their sources. Choose a shorter period to see them."
		return nil
	}
	return err
}

// reportSweeps reads the sweeps that were due in either period, and counts why answers of
// the later period are missing.
func (s *Reporter) reportSweeps(ctx context.Context, t *tracking.Tracker, in *Input, before, after definition.Span) error {
	counts := map[string]int{}
	for sweep, err := range answers.EachSweep(ctx, s.store, t) {
		if err != nil {
			return err
		}
		if sweep.Repeats != "" || !before.Has(sweep.DueAt) && !after.Has(sweep.DueAt) {
			continue
		}
		in.Sweeps = append(in.Sweeps, answers.SweepView(sweep))
		if sweep.State != earshot.SweepClosed || sweep.Missing == 0 || !after.Has(sweep.DueAt) {
			continue
		}
		reasons, err := s.store.MissingReasons(ctx, sweep)
		if err != nil {
			return err
		}
		for _, r := range reasons {
			counts[r.Reason] += r.Count
		}
	}
	slices.SortFunc(in.Sweeps, func(a, b earshot.Sweep) int { return a.DueAt.Compare(b.DueAt.Time) })
	for reason, n := range counts {
		in.Reasons = append(in.Reasons, earshot.ReasonCount{Reason: reason, Count: n})
	}
	slices.SortFunc(in.Reasons, func(a, b earshot.ReasonCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Reason, b.Reason))
	})
	return nil
}

// reportInto sets the fields that come from the counted answers of both periods: the
// brands, the trend, and the comparison of single prompts.
func reportInto(b *aggregate.Aggregate, in *Input, before, after definition.Span) error {
	def := b.Definition()
	for _, brand := range def.Brands {
		in.Brands = append(in.Brands, earshot.Brand{Name: brand.Name, Own: brand.Own})
	}
	asked := map[int]bool{} // the definition also has prompts that were removed
	for _, sweep := range def.Sweeps {
		for _, prompt := range sweep.Prompts {
			asked[prompt] = true
		}
	}
	for prompt := range asked {
		in.Prompts++
		if def.Prompts[prompt].Branded {
			in.Branded++
		}
	}
	for _, br := range def.Breaks {
		in.Breaks = append(in.Breaks, Break{Sweep: br.Sweep, Reason: br.Reason})
	}
	if len(b.Sweeps) == 0 || len(in.Brands) == 0 {
		return nil
	}
	if err := trendInto(b, in); err != nil {
		return err
	}
	return promptsInto(b, in, metric.Periods{A: b.Within(before), B: b.Within(after)})
}

// trendInto sets the visibility in each sweep, and the mean of each sweep and the sweeps
// before it since the last break.
func trendInto(b *aggregate.Aggregate, in *Input) error {
	q := metric.Query{
		Metrics: []string{"visibility"}, BrandsOnly: true, By: []string{"sweep"},
		Having: metric.Selection{"brand": Drawn(in.Brands, in.Numbers.Rows)},
	}
	rows, err := b.Rows(q)
	if err != nil {
		return err
	}
	for i := range rows {
		in.Single = append(in.Single, numbers.Row(b, q, &rows[i]))
	}
	q.Last = Window
	if rows, err = b.Rows(q); err != nil {
		return err
	}
	for i := range rows {
		in.Means = append(in.Means, numbers.Row(b, q, &rows[i]))
	}
	return nil
}

// promptsInto compares single prompts for the own brands, tested together as one family.
func promptsInto(b *aggregate.Aggregate, in *Input, periods metric.Periods) error {
	own := []string{}
	for _, brand := range in.Brands {
		if brand.Own {
			own = append(own, brand.Name)
		}
	}
	if len(own) == 0 {
		return nil
	}
	var err error
	in.Moved, err = numbers.ComparePrompts(b, metric.Query{Metrics: []string{"visibility"}, Having: metric.Selection{"brand": own}}, periods)
	return err
}
