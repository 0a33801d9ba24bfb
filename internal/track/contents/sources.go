package contents

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
)

// DetailedSources returns the sources that answers cite, as numbers.Reader does, with the
// answers that retrieved and cited them, an example, and the change since the period before. It
// returns store.ErrNotFound if the tracker does not exist.
func (l *Lister) DetailedSources(ctx context.Context, organization, name string, q *earshot.SourceQuery) (*earshot.SourceReport, error) {
	if q.Since && q.From == "" {
		return nil, schema.Invalid("since", "needs from, so that there is a period before")
	}
	all := *q
	if q.Brand != "" {
		all.Limit = 0 // the brand's sources may be rare
	}
	report, err := l.numbers.Sources(ctx, organization, name, &all)
	if err != nil {
		return nil, err
	}
	h, err := l.open(ctx, organization, name)
	if err == nil {
		err = h.checkBrand(q.Brand)
	}
	if err != nil {
		return nil, err
	}
	if q.Brand != "" {
		report.Rows = sourcesOf(report.Rows, q.Brand, q.Limit)
	}
	d := &sourceDetails{history: h, by: cmp.Or(q.By, "domain"), report: report}
	if err := d.read(ctx, q); err != nil {
		return nil, err
	}
	for i := range report.Rows {
		d.fill(&report.Rows[i])
	}
	if d.by == "type" {
		return report, nil
	}
	d.matrix()
	return report, d.examples(ctx)
}

// sourcesOf returns the most cited sources that belong to a brand or back it, for each target.
func sourcesOf(rows []earshot.SourceRow, brand string, limit int) (found []earshot.SourceRow) {
	slices.SortStableFunc(rows, func(a, b earshot.SourceRow) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(b.Citations, a.Citations))
	})
	listed := map[string]int{} // by target
	for _, row := range rows {
		backs := slices.ContainsFunc(row.Backs, func(b earshot.BackedBrand) bool { return b.Brand == brand })
		if (backs || row.Brand == brand) && listed[row.Target] < limit {
			listed[row.Target]++
			found = append(found, row)
		}
	}
	return found
}

// sourceDetails adds details to a report on sources.
type sourceDetails struct {
	*history
	by            string // domain, url or type
	report        *earshot.SourceReport
	before, after sourceCounts
	isCompared    bool
	mentions      map[string][]int // by source and brand
}

// sourceCounts contains the counts of sources by the label of their targets.
type sourceCounts map[string]*labelCounts

type labelCounts struct {
	retrieved, cited earshot.AnswerShare // without a source
	sources          map[string]*sourceCount
}

// sourceCount contains the counts of one source on the targets of a label.
type sourceCount struct {
	answers, retrieved, cited int
	first, last               time.Time
	example                   string // id of the newest answer that cites the source
	kind                      string // type of the site
	domain                    string
}

// read counts the sources of the period and, if the query asks for it, of the period before.
func (d *sourceDetails) read(ctx context.Context, q *earshot.SourceQuery) error {
	span, err := definition.ParseSpan(d.definition.Zone(), "from", q.From, "to", q.To)
	if err != nil {
		return err
	}
	now, err := d.within(span, "from")
	if err != nil {
		return err
	}
	d.after, d.mentions = d.newCounts(), map[string][]int{}
	if err := now.each(ctx, q.Filter, q.Branded, func(a answers.Finding) {
		d.count(d.after, a)
		d.countMentions(a.Found)
	}); err != nil || !q.Since {
		return err
	}
	return d.readBefore(ctx, q, now)
}

func (d *sourceDetails) readBefore(ctx context.Context, q *earshot.SourceQuery, now *period) error {
	zone := d.definition.Zone()
	span, _, err := numbers.Periods(zone, &earshot.CompareQuery{MetricFilter: earshot.MetricFilter{From: q.From, To: q.To}}, d.store.Now())
	if err != nil {
		return err
	}
	before, err := d.within(span, "since")
	if err != nil {
		return err
	}
	if n := now.answered() + before.answered(); n > aggregate.MaxCounted {
		return schema.Invalid("since", "selects %d answers, but one request reads at most %d: choose a shorter period", n, aggregate.MaxCounted)
	}
	d.before, d.isCompared = d.newCounts(), len(before.sweeps) > 0
	if err := before.each(ctx, q.Filter, q.Branded, func(a answers.Finding) { d.count(d.before, a) }); err != nil {
		return err
	}
	day := func(at time.Time) string { return zone.Civil(at).String()[:len(time.DateOnly)] }
	d.report.Baseline = &earshot.Period{From: day(span.From), To: day(span.Until.Add(-time.Minute)), Sweeps: len(before.sweeps)}
	d.lost(q.Limit)
	return nil
}

// newCounts returns empty counts for the labels of the report's rows.
func (d *sourceDetails) newCounts() sourceCounts {
	counts := sourceCounts{}
	for _, row := range d.report.Rows {
		if counts[row.Target] == nil {
			counts[row.Target] = &labelCounts{sources: map[string]*sourceCount{}}
		}
	}
	return counts
}

// key returns the source of a page.
func (d *sourceDetails) key(page metric.Citation) string {
	switch d.by {
	case "url":
		return page.URL
	case "type":
		return page.Type
	default:
		return page.Domain
	}
}

// count counts the sources of an answer. The newest answers must come first.
func (d *sourceDetails) count(into sourceCounts, a answers.Finding) {
	f := a.Found
	reads, cites := f.Missing(metric.FieldSources), f.Missing(metric.FieldCited)
	pages := map[string]metric.Citation{}
	set := func(list []metric.Citation) map[string]bool {
		keys := map[string]bool{}
		for _, page := range list {
			key := d.key(page)
			keys[key], pages[key] = true, page
		}
		return keys
	}
	read, cited := map[string]bool{}, set(f.CitedPages(f.Citations))
	if reads == "" {
		read = set(f.Sources)
		maps.Copy(read, cited)
	}
	set(f.Citations)
	target := d.names.Targets[a.Target]
	for _, label := range []string{target, target + "@" + a.Surface, "*", "*" + a.Surface} {
		counts := into[label]
		if counts == nil {
			continue
		}
		report(&counts.retrieved, reads)
		report(&counts.cited, cites)
		for key, page := range pages {
			s := counts.sources[key]
			if s == nil {
				s = &sourceCount{last: a.AskedAt, first: a.AskedAt, kind: page.Type, domain: page.Domain}
				counts.sources[key] = s
			}
			s.add(a.Answer, read[key], cited[key])
		}
	}
}

// report counts whether an answer reports a property.
func report(s *earshot.AnswerShare, missing metric.Reason) {
	switch missing {
	case "":
		s.Of++
	case metric.NotRequested:
		s.NotRequested++
	default:
		s.NotOffered++
	}
}

func (s *sourceCount) add(a *tracking.Answer, isRead, isCited bool) {
	s.answers++
	if isRead {
		s.retrieved++
	}
	if isCited {
		s.cited++
		s.example = cmp.Or(s.example, a.ID)
	}
	if a.AskedAt.Before(s.first) {
		s.first = a.AskedAt
	}
	if a.AskedAt.After(s.last) {
		s.last = a.AskedAt
	}
}

// countMentions counts the mentions in sentences that cite a source, as the metric support does.
func (d *sourceDetails) countMentions(f *analysis.Analysis) {
	if d.by == "type" || f.Plain {
		return
	}
	for _, m := range f.Mentions {
		if m.Kind == mention.Absent {
			continue
		}
		sources := slices.Clone(m.Domains)
		if d.by == "url" {
			sources = sources[:0]
			for _, at := range m.Citations {
				sources = append(sources, f.Citations[at].URL)
			}
		}
		slices.Sort(sources)
		for _, key := range slices.Compact(sources) {
			if d.mentions[key] == nil {
				d.mentions[key] = make([]int, len(d.Brands))
			}
			d.mentions[key][m.Brand]++
		}
	}
}

// fill adds the details of a row, except for its example.
func (d *sourceDetails) fill(row *earshot.SourceRow) {
	counts := d.after[row.Target]
	key := d.rowKey(row)
	s := counts.sources[key]
	row.Retrieved, row.Cited = counts.retrieved, counts.cited
	if s != nil {
		row.Retrieved.Answers, row.Cited.Answers = s.retrieved, s.cited
		row.FirstSeen, row.LastSeen = &earshot.Timestamp{Time: s.first}, &earshot.Timestamp{Time: s.last}
	}
	row.Retrieved.Share, row.Cited.Share = share(row.Retrieved.Answers, row.Retrieved.Of), share(row.Cited.Answers, row.Cited.Of)
	if d.isCompared {
		row.Since = &earshot.SourceChange{State: "gained"}
		if s != nil {
			row.Since.After = s.answers
		}
		if before := d.before[row.Target].sources[key]; before != nil {
			row.Since.State, row.Since.Before = "kept", before.answers
		}
	}
}

func (d *sourceDetails) rowKey(row *earshot.SourceRow) string {
	return d.key(metric.Citation{Domain: row.Domain, URL: row.URL, Type: row.Type})
}

// lost adds the sources that only the period before has.
func (d *sourceDetails) lost(limit int) {
	for _, target := range slices.Sorted(maps.Keys(d.before)) {
		var lost []earshot.LostSource
		for key, s := range d.before[target].sources {
			if d.after[target].sources[key] != nil {
				continue
			}
			one := earshot.LostSource{Type: s.kind, Target: target, Before: s.answers}
			switch d.by {
			case "domain":
				one.Domain = key
			case "url":
				one.URL, one.Domain = key, s.domain
			}
			if d.by != "type" {
				kind, brand, _ := d.Site(key)
				one.Type, one.Brand = string(kind), brand
			}
			lost = append(lost, one)
		}
		slices.SortFunc(lost, func(a, b earshot.LostSource) int {
			return cmp.Or(cmp.Compare(b.Before, a.Before), cmp.Compare(a.URL+a.Domain+a.Type, b.URL+b.Domain+b.Type))
		})
		d.report.Lost = append(d.report.Lost, lost[:min(len(lost), limit)]...)
	}
}

// matrix adds the mentions of brands for each source of the rows.
func (d *sourceDetails) matrix() {
	m := &earshot.SourceMatrix{}
	for _, b := range d.Brands {
		m.Brands = append(m.Brands, b.Name)
	}
	listed := map[string]bool{}
	for i := range d.report.Rows {
		key := d.rowKey(&d.report.Rows[i])
		if listed[key] {
			continue
		}
		listed[key] = true
		mentions := d.mentions[key]
		if mentions == nil {
			mentions = make([]int, len(d.Brands))
		}
		m.Rows = append(m.Rows, earshot.SourceMatrixRow{Source: key, Mentions: mentions})
	}
	d.report.Matrix = m
}

// examples adds an example to each row whose source is cited. It reads each answer once.
func (d *sourceDetails) examples(ctx context.Context) error {
	read := map[string][]analysis.CitingSentence{} // by answer
	for i := range d.report.Rows {
		row := &d.report.Rows[i]
		s := d.after[row.Target].sources[d.rowKey(row)]
		if s == nil || s.example == "" {
			continue
		}
		sentences, known := read[s.example]
		if !known {
			a, err := d.store.Answer(ctx, d.tracker, s.example)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted in the meantime
			}
			if err == nil && a.Result != nil {
				sentences, err = d.Citing(a.Result)
			}
			if err != nil {
				return err
			}
			read[s.example] = sentences
		}
		row.Example = &earshot.CitedExample{Answer: s.example}
		for _, sentence := range sentences {
			if d.key(metric.Citation{URL: sentence.URL, Domain: sentence.Domain}) == d.rowKey(row) {
				row.Example.Sentence = sentence.Text
				break
			}
		}
	}
	return nil
}
