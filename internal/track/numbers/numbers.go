// Package numbers answers the API's queries for metrics, comparisons and sources.
//
//	numbers.go       metrics
//	sources.go       sources
//	sourcecounts.go  counts of sources
//	change.go        comparison of two periods
//	counted.go       which answers the metrics include
//	links.go         URLs that list the answers of a row
//	precision.go     the smallest change that a tracker can find
package numbers

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// Reader computes the numbers of trackers as clients see them.
type Reader struct {
	store       *tracking.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
}

// NewReader returns a Reader on a store.
func NewReader(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter) *Reader {
	return &Reader{s, d, p, c}
}

const (
	// maxRows is the largest number of rows in a response.
	maxRows = 20_000
	// maxComputed is the largest number of rows of all pages of a query.
	maxComputed = 200_000
)

// dimensions are the dimensions by which answers can be split and filtered.
var dimensions = []string{"brand", "surface", "target", "provider", "country", "prompt", "tag", "sweep", "day", "week", "month"}

// list splits a list at commas and removes duplicates.
func list(text string) (items []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

// selection parses text such as "target:chatassistant/US,tag:trail". A comma is part of the
// value unless a dimension follows.
func selection(field, text string) (metric.Selection, error) {
	if text == "" {
		return nil, nil
	}
	chosen := metric.Selection{}
	last := ""
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		switch {
		case found && slices.Contains(dimensions, name):
			last = name
			chosen[name] = append(chosen[name], strings.TrimSpace(value))
		case last == "":
			return nil, schema.Invalid(field, "must be dimension:value, such as tag:trail; the dimensions are %s%s", strings.Join(dimensions, ", "), schema.Hint(name, dimensions))
		default:
			values := chosen[last]
			values[len(values)-1] += "," + part
		}
	}
	return chosen, nil
}

// checkValues returns an error for a value in a filter that the tracker does not have.
func checkValues(def metric.Definition, q metric.Query) error {
	known := map[string][]string{}
	add := func(dimension string, values ...string) { known[dimension] = append(known[dimension], values...) }
	for _, brand := range def.Brands {
		add("brand", brand.Name)
	}
	for _, target := range def.Targets {
		name, _, _ := strings.Cut(target.Key, "@")
		add("target", name)
		add("provider", target.Provider)
		add("country", target.Country)
	}
	for _, prompt := range def.Prompts {
		add("prompt", prompt.Text, strconv.Itoa(prompt.Version))
		add("tag", prompt.Tags...)
	}
	return cmp.Or(checkSelection("filter", q.Filter, known), checkSelection("having", q.Having, known))
}

// checkSelection returns an error for a value of a selection that is not known. It names the most
// similar value.
func checkSelection(field string, chosen metric.Selection, known map[string][]string) error {
	for _, dimension := range []string{"brand", "target", "provider", "country", "prompt", "tag"} {
		for _, value := range chosen[dimension] {
			name := value
			if dimension == "target" {
				name, _, _ = strings.Cut(value, "@") // without the surface
			}
			if slices.Contains(known[dimension], name) {
				continue
			}
			return schema.Invalid(field, "the tracker has no %s %q%s", dimension, value, schema.Hint(name, known[dimension]))
		}
	}
	return nil
}

// numberQuery parses the parameters that all queries have.
func numberQuery(f *earshot.MetricFilter, metrics, by, having string) (q metric.Query, err error) {
	q = metric.Query{Metrics: list(metrics), By: list(by), Branded: f.Branded, PoolSurfaces: f.PoolSurfaces}
	if i := slices.IndexFunc(q.Metrics, func(name string) bool { return metric.BaseName(name) == "stability" }); i >= 0 {
		q.Metrics = slices.Replace(q.Metrics, i, i+1, "stability.domains", "stability.brands")
	}
	if q.Filter, err = selection("filter", f.Filter); err != nil {
		return q, err
	}
	q.Having, err = selection("having", having)
	return q, err
}

// asField converts an error of a metric.Query, which starts with the name of a field, to a
// validation error.
func asField(err error) error {
	if err == nil {
		return nil
	}
	field, message, found := strings.Cut(err.Error(), ": ")
	if !found {
		return err
	}
	return schema.Invalid(field, "%s", message)
}

// Metrics returns rows of metrics. It returns store.ErrNotFound if the tracker does not exist.
func (s *Reader) Metrics(ctx context.Context, organization, name string, q *earshot.MetricQuery) (*earshot.MetricReport, error) {
	wanted, err := numberQuery(&q.MetricFilter, q.Metric, cmp.Or(q.By, "target"), q.Having)
	if err != nil {
		return nil, err
	}
	wanted.BrandsOnly, wanted.Last, wanted.MaxRows = true, q.Last, maxComputed
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	within, err := definition.Recent(d.Zone(), q.From, q.To, s.store.Now())
	if err != nil {
		return nil, err
	}
	b, err := s.counter.Count(ctx, t, d, aggregate.Options{Sources: unstored(wanted.Metrics), Families: wanted.Families()}, within)
	if err != nil {
		return nil, err
	}
	if err := checkValues(b.Definition(), wanted); err != nil {
		return nil, err
	}
	rows, err := b.Rows(wanted)
	if err != nil {
		return nil, asField(err)
	}
	rows = rows[min(q.Offset, len(rows)):]
	more := q.Limit > 0 && len(rows) > q.Limit
	if more {
		rows = rows[:q.Limit]
	}
	if len(rows) > maxRows {
		return nil, schema.Invalid("by", "gives %d rows, but a response has at most %d: ask for one metric, filter, or set a limit", len(rows), maxRows)
	}
	report := &earshot.MetricReport{Tracker: name, Rules: ruleset.Name(b.Rules), Sweeps: len(b.Sweeps), MadeUp: b.MadeUp, Breaks: b.Breaks, More: more}
	for i := range rows {
		report.Rows = append(report.Rows, Row(b, wanted, &rows[i]))
	}
	report.Noise, err = s.counter.Noise(ctx, b)
	return report, err
}

// unstored returns the source counts that metrics need and that are not stored.
func unstored(metrics []string) (counts metric.Sources) {
	for _, name := range metrics {
		counts |= map[string]metric.Sources{
			"stability.domains": metric.ByDomain, "merchantShare": metric.ByMerchant, "price": metric.ByPrice, "blockRate": metric.ByBlock,
		}[metric.BaseName(name)]
	}
	return counts
}

// Row returns a row of metrics as clients see it.
func Row(b *aggregate.Aggregate, q metric.Query, r *metric.Row) earshot.MetricRow {
	row := earshot.MetricRow{
		Metric: r.Metric, MetricLabels: aggregate.LabelsOf(r.Labels), PromptID: r.PromptVersion, Sweep: r.Sweep, Day: r.Day, Week: r.Week, Month: r.Month,
		Value: r.Value.Number, Numerator: r.Numerator, Denominator: r.Denominator, Answers: r.Answers, Cells: r.Cells, Sweeps: r.Sweeps,
		Missing: orZero(r.Missing), Interval: intervals(r.Interval), Lag1: r.Lag1, Weighted: r.Weighted, Rules: ruleset.Name(b.Rules), AnswersURL: answersURL(b, q, r),
		NotRequested: orZero(r.NotRequested), NotOffered: orZero(r.NotOffered), Reason: string(r.Reason), NotMarked: orZero(r.NotMarked), Note: r.Note,
		Merchant: r.Merchant, Product: r.Product, Currency: r.Currency, Block: r.Block, MedianPosition: r.MedianPosition,
	}
	if r.Brand != nil {
		row.Brand = *r.Brand
	}
	if r.Provisional != nil {
		row.Provisional = *r.Provisional
	}
	if p := r.Value.Places; p != nil && p.Median != nil {
		row.Value, row.Places = p.Median, &earshot.PlaceShares{First: *p.First, TwoToThree: *p.TwoToThree, FourOrMore: *p.FourOrMore}
	}
	if t := r.Value.Top; t != nil {
		row.Value, row.Top = t.Median, &earshot.TopShares{Top1: t.Top1, Top3: t.Top3, Top10: t.Top10}
	}
	if p := r.Value.Price; p != nil {
		row.Value, row.Lowest = &p.Median, &p.Lowest
	}
	for _, p := range r.Points {
		row.Points = append(row.Points, earshot.PricePoint{
			Sweep: p.Sweep, At: earshot.Timestamp{Time: b.Between(p.Sweep, p.Sweep)[0].DueAt},
			PriceRange: earshot.PriceRange{Lowest: p.Lowest, Median: p.Median, Offers: p.Offers},
		})
	}
	return row
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func intervals(of *metric.Intervals) *earshot.Intervals {
	if of == nil {
		return nil
	}
	found := &earshot.Intervals{}
	if of.Rerun != nil {
		found.Rerun = of.Rerun[:]
	}
	if of.Market != nil {
		found.Market = of.Market[:]
	}
	return found
}
