package numbers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/cited"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// Sources returns the sources that answers cite, with the answers that retrieved and cited them,
// an example, and the change since the period before. It returns store.ErrNotFound if the tracker
// does not exist.
func (s *Reader) Sources(ctx context.Context, organization, name string, q *earshot.SourceQuery) (*earshot.SourceReport, error) {
	r, err := s.sources(ctx, organization, name, q)
	if err != nil {
		return nil, err
	}
	if r.names.by != "type" {
		r.matrix()
		err = r.examples(ctx)
	}
	return r.report, err
}

// SourceShares returns the sources that answers cite, without examples.
func (s *Reader) SourceShares(ctx context.Context, organization, name string, q *earshot.SourceQuery) (*earshot.SourceReport, error) {
	r, err := s.sources(ctx, organization, name, q)
	if err != nil {
		return nil, err
	}
	return r.report, nil
}

func (s *Reader) sources(ctx context.Context, organization, name string, q *earshot.SourceQuery) (*sourceReader, error) {
	if q.Since && q.From == "" {
		return nil, schema.Invalid("since", "needs from, so that there is a period before")
	}
	wanted, err := numberQuery(&q.MetricFilter, "citationShare", "", "")
	if err != nil {
		return nil, err
	}
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	span, err := definition.Recent(d.Zone(), q.From, q.To, s.store.Now())
	if err != nil {
		return nil, err
	}
	r := &sourceReader{Reader: s, tracker: t, definition: d, query: wanted, brand: -1}
	r.names = sourceNames{by: cmp.Or(q.By, "domain"), number: map[string]int32{}}
	r.report = &earshot.SourceReport{Tracker: name}
	if r.period, err = r.open(ctx, span); err != nil {
		return nil, err
	}
	r.report.Rules, r.report.MadeUp, r.Panel = ruleset.Name(r.period.Rules), r.period.MadeUp, r.period.Panel
	if err := r.CheckBrand(q.Brand); err != nil {
		return nil, err
	}
	r.brand = slices.IndexFunc(r.Brands, func(b metric.PanelBrand) bool { return b.Name == q.Brand })
	var before *sourcePeriod
	if q.Since {
		if before, err = r.openBaseline(ctx, q); err != nil {
			return nil, err
		}
	}
	release, err := s.counter.Turn(ctx, organization)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := r.read(ctx, r.period); err != nil {
		return nil, err
	}
	if err := r.count(q.Limit); err != nil || before == nil {
		return r, err
	}
	if err = r.read(ctx, before); err == nil {
		err = r.compare(before, q.Limit)
	}
	return r, err
}

// sourceReader makes a report on sources.
type sourceReader struct {
	*Reader
	*analysis.Panel
	tracker    *tracking.Tracker
	definition *definition.Definition
	query      metric.Query
	brand      int // only sources of this brand; -1: all
	names      sourceNames
	report     *earshot.SourceReport
	period     *sourcePeriod
	labels     []*labelCounts // by cut of the period
	rows       []sourceRow
}

// maxSources limits the sources of a report, and so its memory.
const maxSources = 2_000_000

// sourceRow is a source of a cut, in the order of the report's rows.
type sourceRow struct {
	cut    int
	source int32
	*sourceDetail
}

// open reads the sweeps of a time range, and the cuts of the query.
func (r *sourceReader) open(ctx context.Context, span definition.Span) (p *sourcePeriod, err error) {
	b, err := r.counter.Count(ctx, r.tracker, r.definition, aggregate.Options{Families: []metric.Family{metric.OfNames, metric.OfPages}}, span)
	if err != nil {
		return nil, err
	}
	if err := checkValues(b.Definition(), r.query); err != nil {
		return nil, err
	}
	p = &sourcePeriod{Aggregate: b}
	p.cuts, err = b.SourceCuts(r.query)
	return p, asField(err)
}

// openBaseline opens the period before the period of a query.
func (r *sourceReader) openBaseline(ctx context.Context, q *earshot.SourceQuery) (*sourcePeriod, error) {
	zone := r.definition.Zone()
	span, _, err := Periods(zone, &earshot.CompareQuery{MetricFilter: earshot.MetricFilter{From: q.From, To: q.To}}, r.store.Now())
	if err != nil {
		return nil, err
	}
	p, err := r.open(ctx, span)
	if err == nil {
		r.report.Baseline = &earshot.Period{From: day(zone, span.From), To: day(zone, span.Until.Add(-time.Minute)), Sweeps: len(p.Sweeps)}
	}
	return p, err
}

// read reads the sheets of a period.
func (r *sourceReader) read(ctx context.Context, p *sourcePeriod) error {
	p.sheets = make([]sourceSheet, len(p.Sweeps))
	return r.counter.Cited(ctx, p.Aggregate, r.names.by == "url", func(sweep int, sheet *cited.Sheet) error {
		p.sheets[sweep] = r.names.in(sheet)
		if len(r.names.names) > maxSources {
			return schema.Invalid("from", "selects more than %d sources: choose a shorter period", maxSources)
		}
		return nil
	})
}

// count counts the sources of the period, and adds the rows of the sources with the most
// citations in each cut.
func (r *sourceReader) count(limit int) error {
	p := r.period
	r.labels = make([]*labelCounts, len(p.cuts))
	for i := range r.labels {
		r.labels[i] = &labelCounts{}
	}
	all := &counter{names: &r.names, brands: len(r.Brands)}
	err := p.each(func(c *metric.SourceCut, _ cited.Key, _ string, s *sourceSheet) func(*cited.Answer, metric.Place) {
		return all.in(r.labels[slices.Index(p.cuts, c)], s)
	})
	if err != nil {
		return err
	}
	details := make([][]*sourceDetail, len(p.cuts)) // by cut and source
	for cut, c := range p.cuts {
		details[cut] = make([]*sourceDetail, len(r.names.names))
		for _, source := range r.most(cut, limit) {
			details[cut][source] = &sourceDetail{citations: make([]int32, c.Len())}
			r.rows = append(r.rows, sourceRow{cut, source, details[cut][source]})
		}
	}
	err = p.each(func(c *metric.SourceCut, k cited.Key, sweep string, s *sourceSheet) func(*cited.Answer, metric.Place) {
		listed := details[slices.Index(p.cuts, c)]
		return func(a *cited.Answer, at metric.Place) {
			for _, used := range a.Sources {
				if source := s.sources[used.Index]; source != noSource && listed[source] != nil {
					listed[source].add(a, used, at, k, sweep)
				}
			}
		}
	})
	for _, row := range r.rows {
		r.report.Rows = append(r.report.Rows, r.row(row))
	}
	return err
}

// most returns the sources of a cut that have the most citations. Sources with equally many are
// in alphabetical order.
func (r *sourceReader) most(cut, limit int) (sources []int32) {
	counts := r.labels[cut].sources
	for i := range counts {
		if counts[i].citations > 0 && r.isOfBrand(cut, int32(i)) {
			sources = append(sources, int32(i))
		}
	}
	slices.SortFunc(sources, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b].citations, counts[a].citations), cmp.Compare(r.names.names[a], r.names.names[b]))
	})
	return sources[:min(len(sources), limit)]
}

// isOfBrand reports whether a source belongs to the wanted brand or backs it.
func (r *sourceReader) isOfBrand(cut int, source int32) bool {
	if r.brand < 0 {
		return true
	}
	for _, backed := range r.backs(cut, source) {
		if backed.Brand == r.Brands[r.brand].Name {
			return true
		}
	}
	if r.names.by == "type" {
		return false
	}
	_, brand, _ := r.Site(r.names.names[source])
	return brand == r.Brands[r.brand].Name
}

// backs returns the brands that are named in sentences that cite a source.
func (r *sourceReader) backs(cut int, source int32) (all []earshot.BackedBrand) {
	mentions := r.labels[cut].sources[source].mentions
	for _, brand := range r.period.cuts[cut].Panel() {
		if brand < len(mentions) && mentions[brand] > 0 {
			all = append(all, earshot.BackedBrand{Brand: r.Brands[brand].Name, Mentions: mentions[brand]})
		}
	}
	return all
}

// row returns the row of a source, except for its example.
func (r *sourceReader) row(at sourceRow) earshot.SourceRow {
	found := r.period.cuts[at.cut].Row(at.citations)
	label, name := r.labels[at.cut], r.names.names[at.source]
	n := &label.sources[at.source]
	row := earshot.SourceRow{
		Type: name, MetricLabels: aggregate.LabelsOf(found.Labels), Share: found.Value.Number, Citations: int(found.Numerator), AllCitations: int(found.Denominator),
		Answers: found.Answers, Interval: intervals(found.Interval), Provisional: *found.Provisional, Backs: r.backs(at.cut, at.source),
		Retrieved: label.retrieved, Cited: label.cited, FirstSeen: &earshot.Timestamp{Time: at.first.UTC()}, LastSeen: &earshot.Timestamp{Time: at.last.UTC()},
	}
	if r.names.by != "type" {
		kind, brand, domain := r.Site(name)
		row.Type, row.Brand, row.Domain = string(kind), brand, domain
	}
	if r.names.by == "url" {
		row.URL = name
	}
	row.Retrieved.Answers, row.Cited.Answers = int(n.retrieved), int(n.cited)
	row.Retrieved.Share, row.Cited.Share = metric.Share(row.Retrieved.Answers, row.Retrieved.Of), metric.Share(row.Cited.Answers, row.Cited.Of)
	return row
}

// compare adds the change since the period p.
func (r *sourceReader) compare(p *sourcePeriod, limit int) error {
	before := make([]labelCounts, len(r.labels))
	all := &counter{names: &r.names}
	err := p.each(func(_ *metric.SourceCut, k cited.Key, _ string, s *sourceSheet) func(*cited.Answer, metric.Place) {
		target, _, _ := strings.Cut(p.TargetKey(k), "@")
		labels := []string{target, target + "@" + k.Surface, "*", "*" + k.Surface}
		cut := slices.IndexFunc(r.period.cuts, func(c *metric.SourceCut) bool { return slices.Contains(labels, c.Target) })
		if cut < 0 {
			return nil
		}
		return all.in(&before[cut], s)
	})
	if err != nil || len(p.Sweeps) == 0 {
		return err
	}
	answers := func(counts []sourceCount, source int32) int {
		if int(source) >= len(counts) {
			return 0
		}
		return int(counts[source].answers)
	}
	for i, row := range r.rows {
		change := &earshot.SourceChange{State: "gained", Before: answers(before[row.cut].sources, row.source), After: answers(r.labels[row.cut].sources, row.source)}
		if change.Before > 0 {
			change.State = "kept"
		}
		r.report.Rows[i].Since = change
	}
	for cut := range before {
		r.lost(cut, &before[cut], limit)
	}
	return nil
}

// lost adds the sources of a cut that only the period before has.
func (r *sourceReader) lost(cut int, before *labelCounts, limit int) {
	var lost []earshot.LostSource
	for source, n := range before.sources {
		if now := r.labels[cut].sources; n.answers == 0 || source < len(now) && now[source].answers > 0 {
			continue
		}
		name := r.names.names[source]
		one := earshot.LostSource{Type: name, Target: r.period.cuts[cut].Target, Before: int(n.answers)}
		if r.names.by != "type" {
			kind, brand, domain := r.Site(name)
			one.Type, one.Brand, one.Domain = string(kind), brand, domain
		}
		if r.names.by == "url" {
			one.URL = name
		}
		lost = append(lost, one)
	}
	slices.SortFunc(lost, func(a, b earshot.LostSource) int {
		return cmp.Or(cmp.Compare(b.Before, a.Before), cmp.Compare(a.URL+a.Domain+a.Type, b.URL+b.Domain+b.Type))
	})
	r.report.Lost = append(r.report.Lost, lost[:min(len(lost), limit)]...)
}

// matrix adds the mentions of brands for each source of the rows, over all cuts.
func (r *sourceReader) matrix() {
	m := &earshot.SourceMatrix{}
	for _, b := range r.Brands {
		m.Brands = append(m.Brands, b.Name)
	}
	listed := map[int32]bool{}
	for _, row := range r.rows {
		if listed[row.source] {
			continue
		}
		listed[row.source] = true
		mentions := make([]int, len(r.Brands))
		for _, label := range r.labels {
			if int(row.source) < len(label.sources) {
				for brand, n := range label.sources[row.source].mentions {
					mentions[brand] += n
				}
			}
		}
		m.Rows = append(m.Rows, earshot.SourceMatrixRow{Source: r.names.names[row.source], Mentions: mentions})
	}
	r.report.Matrix = m
}

// examples adds an example to each row whose source is cited. It reads each answer once.
func (r *sourceReader) examples(ctx context.Context) error {
	type read struct {
		answer    string
		sentences []analysis.CitingSentence
	}
	known := map[sourceExample]*read{}
	for i, row := range r.rows {
		at := row.example
		if at.sweep == "" {
			continue // not cited
		}
		e := known[at]
		if e == nil {
			a, err := r.store.CellAnswer(ctx, r.tracker, at.sweep, at.prompt, at.target, at.sample)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted in the meantime
			}
			if err != nil {
				return err
			}
			e = &read{answer: a.ID}
			if a.Result != nil {
				if e.sentences, err = r.Citing(a.Result); err != nil {
					return err
				}
			}
			known[at] = e
		}
		example := &earshot.CitedExample{Answer: e.answer}
		for _, sentence := range e.sentences {
			if r.names.names[row.source] == map[string]string{"domain": sentence.Domain, "url": sentence.URL}[r.names.by] {
				example.Sentence = sentence.Text
				break
			}
		}
		r.report.Rows[i].Example = example
	}
	return nil
}
