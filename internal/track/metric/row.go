package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Row is one number of one cut.
type Row struct {
	Metric string  `json:"metric"` // with the version of its definition: visibility@m1
	Brand  *string `json:"brand"`  // nil where the metric is of no brand
	Labels
	Missing     int     `json:"missing"` // planned answers that are not eligible
	Value       Value   `json:"value"`
	Numerator   float64 `json:"numerator"` // plain counts: the value is their ratio only where cells are filled and weighted alike
	Denominator float64 `json:"denominator"`
	Answers     int     `json:"answers"` // eligible

	// Of rates and ratios only:
	Cells       *int       `json:"cells,omitempty"`
	Sweeps      *int       `json:"sweeps,omitempty"`
	Interval    *Intervals `json:"interval"`
	Provisional *bool      `json:"provisional,omitempty"`
	Lag1        *float64   `json:"-"` // correlation of neighbouring sweep means

	// Of citationShare without a brand, one of:
	Domain string `json:"domain,omitempty"`
	URL    string `json:"url,omitempty"`
	Type   string `json:"type,omitempty"`

	Weighted *float64 `json:"weighted,omitempty"` // of stability: 1 − Bray–Curtis

	// Of listRank and support: how many eligible answers are left out because they were
	// asked without Markdown, and NotRequested as the reason where no other is left.
	NotRequested int    `json:"notRequested,omitempty"`
	Reason       Reason `json:"reason,omitempty"`

	// Of support: supported mentions by the domain that supports them, and by the page.
	Domains map[string]int `json:"domains,omitzero"`
	Pages   map[string]int `json:"-"`
}

// Reason says why a row has no value.
type Reason string

// NotRequested is the reason where the answers were asked without what the metric reads.
const NotRequested Reason = "notRequested"

// Value is a number, or where a brand stands. With nothing set there is none.
type Value struct {
	Number *float64
	Places *Places
	Top    *Top
}

// Places say where a brand stands in the answers that name it. All of a position are nil
// where no answer does; a list rank has no Places then.
type Places struct {
	Median     *float64 `json:"median"`
	First      *float64 `json:"first"`
	TwoToThree *float64 `json:"twoToThree"`
	FourOrMore *float64 `json:"fourOrMore"`
}

// Top says where a brand's domain stands on search pages.
type Top struct {
	Median *float64 `json:"median"` // over the pages that have it; nil when none does
	Top1   float64  `json:"top1"`   // shares of all pages
	Top3   float64  `json:"top3"`
	Top10  float64  `json:"top10"`
}

// MarshalJSON writes what is set, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.Places != nil:
		return json.Marshal(v.Places)
	case v.Top != nil:
		return json.Marshal(v.Top)
	default:
		return json.Marshal(v.Number)
	}
}

// plain are the metrics that are counted without weights and have no interval.
var plain = []string{"position", "listRank", "support", "rank", "coverage"}

// names are those of all metrics that rows can have.
func names() []string {
	all := slices.Clone(plain)
	for _, m := range measures {
		all = append(all, m.name)
	}
	for _, s := range stabilities {
		all = append(all, s.name)
	}
	return all
}

// Rows computes the numbers that a query asks for: for each cut the brands in the order
// of the panel, then what concerns no brand.
func (b *Dataset) Rows(q Query) ([]Row, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	cuts := b.cuts(q)
	if n := b.maxRows(q, cuts); q.MaxRows > 0 && n > q.MaxRows {
		return nil, fmt.Errorf("by: makes up to %d rows, and at most %d are made at once: ask for one metric, for one brand, or filter", n, q.MaxRows)
	}
	parts, errs := make([][]Row, len(cuts)), make([]error, len(cuts))
	// Cuts have nothing to do with each other: the processors share them.
	err := b.inParts(cuts, q.readsOfPrompts(), func(first int, some []cut, read opened) error {
		var next atomic.Int64
		var all sync.WaitGroup
		for range min(runtime.GOMAXPROCS(0), len(some)) {
			all.Go(func() {
				for i := int(next.Add(1)) - 1; i < len(some); i = int(next.Add(1)) - 1 {
					var e *evidence
					if e, errs[first+i] = b.evidence(some[i], q.reads(), read); errs[first+i] == nil {
						parts[first+i], errs[first+i] = b.rowsOf(e, q)
					}
				}
			})
		}
		all.Wait()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	rows := slices.Concat(parts...)
	return slices.DeleteFunc(rows, func(r Row) bool { return !r.matches(q.Having) }), nil
}

// maxRows is how many rows cuts have at most, without those of sources.
func (b *Dataset) maxRows(q Query, cuts []cut) (n int) {
	ofBrand, others := 0, 0
	for _, m := range measures {
		switch {
		case !q.wants(m.name):
		case m.brand:
			ofBrand++
		default:
			others++
		}
	}
	for _, name := range []string{"position", "listRank", "support", "rank"} {
		if q.wants(name) {
			ofBrand++
		}
	}
	if q.wants("coverage") {
		others++
	}
	for _, s := range stabilities {
		if slices.Contains(q.Metrics, s.name) {
			others++
		}
	}
	wanted, picked := q.Having["brand"]
	for _, c := range cuts {
		brands := len(c.panel)
		if picked {
			brands = min(brands, len(wanted))
		}
		n += brands*ofBrand + others
	}
	return n
}

// matches reports whether a row has the values that a selection asks for.
func (r Row) matches(s Selection) bool {
	brand := ""
	if r.Brand != nil {
		brand = *r.Brand
	}
	has := map[string]string{
		"brand": brand, "target": r.Target, "surface": r.Surface, "provider": r.Provider, "country": r.Country,
		"prompt": r.Prompt, "tag": r.Tag, "sweep": r.Sweep, "day": r.Day, "week": r.Week, "month": r.Month,
		"domain": r.Domain, "url": r.URL, "type": r.Type,
	}
	for dimension, wanted := range s {
		if !slices.Contains(wanted, has[dimension]) {
			return false
		}
	}
	return true
}

func (b *Dataset) rowsOf(e *evidence, q Query) ([]Row, error) {
	v := view{b: b, e: e, q: q, unbranded: e.total(b, false), all: e.total(b, true)}
	var rows []Row
	wanted, picked := q.Having["brand"]
	for _, brand := range e.c.panel {
		if !picked || slices.Contains(wanted, b.def.Brands[brand].Name) {
			rows = append(rows, v.ofBrand(brand)...)
		}
	}
	for _, m := range measures {
		if !m.brand && q.wants(m.name) {
			rows = append(rows, v.row(m, 0))
		}
	}
	if q.wants("coverage") {
		rows = append(rows, v.coverage())
	}
	if q.wants("citationShare") && !q.BrandsOnly {
		rows = append(rows, v.sources()...)
	}
	stability, err := v.stability()
	return append(rows, stability...), err
}

// view is a cut on the way to its rows.
type view struct {
	b              *Dataset
	e              *evidence
	q              Query
	unbranded, all *total
}

// start begins a row with what every one has.
func (v view) start(name string, brand *PanelBrand, t *total) Row {
	r := Row{Metric: name + Version, Labels: v.e.c.labels, Missing: t.planned - t.Eligible, Answers: t.Eligible}
	if brand != nil {
		r.Brand = &brand.Name
	}
	return r
}

// row is a rate or a ratio.
func (v view) row(m measure, brand int) Row {
	e := v.e.estimate(v.b, m, brand)
	var of *PanelBrand
	if m.brand {
		of = &v.b.def.Brands[brand]
	}
	t := v.unbranded
	if m.branded {
		t = v.all
	}
	r := v.start(m.name, of, t)
	provisional := e.Provisional()
	r.Value.Number, r.Numerator, r.Denominator, r.Answers = e.Value, e.Numerator, e.Denominator, e.Answers
	r.Cells, r.Sweeps, r.Interval, r.Provisional, r.Lag1 = &e.Cells, &e.Sweeps, e.Interval, &provisional, e.Lag1
	return r
}

func (v view) ofBrand(brand int) []Row {
	var rows []Row
	for _, m := range measures {
		if m.brand && !m.optional && v.q.wants(m.name) {
			rows = append(rows, v.row(m, brand))
		}
	}
	t, of := v.unbranded.Brands[brand], &v.b.def.Brands[brand]
	if v.q.wants("position") {
		r := v.places(v.start("position", of, v.unbranded), t.listed().positions)
		if r.Value.Places == nil {
			r.Value.Places = &Places{}
		}
		rows = append(rows, r)
	}
	if v.q.wants("listRank") {
		rows = append(rows, v.places(v.inMarkdown(v.start("listRank", of, v.unbranded)), t.listed().listRanks))
	}
	if v.q.wants("support") {
		rows = append(rows, v.support(brand))
	}
	if v.q.wants("rank") && v.unbranded.Organic > 0 {
		rows = append(rows, v.rank(brand))
	}
	for _, m := range measures {
		if m.brand && m.optional && v.q.wants(m.name) && m.n(v.unbranded.CellCounts) > 0 {
			rows = append(rows, v.row(m, brand))
		}
	}
	return rows
}

// inMarkdown leaves the answers without Markdown out of a row. They say nothing about
// lists and about what supports a mention, and are not counted as if they said no.
func (v view) inMarkdown(r Row) Row {
	r.NotRequested = v.unbranded.Plain
	r.Answers -= r.NotRequested
	if r.NotRequested > 0 && r.Answers == 0 {
		r.Reason = NotRequested
	}
	return r
}

// places is position or listRank: pooled over the answers that have one, unweighted.
func (v view) places(r Row, counts PlaceCounts) Row {
	found := counts.between(1, 0)
	r.Numerator, r.Denominator = float64(found), float64(r.Answers)
	if found > 0 {
		r.Value.Places = &Places{
			Median: new(counts.median()),
			First:  share(counts.between(1, 1), found), TwoToThree: share(counts.between(2, 3), found), FourOrMore: share(counts.between(4, 0), found),
		}
	}
	return r
}

// rank is where the first organic result on the brand's domains stands: shares over the
// answers with organic results, the median over those that have one.
func (v view) rank(brand int) Row {
	r := v.start("rank", &v.b.def.Brands[brand], v.unbranded)
	counts, pages := v.unbranded.Brands[brand].listed().ranks, float64(v.unbranded.Organic)
	found := counts.between(1, 0)
	r.Numerator, r.Denominator = float64(found), pages
	r.Value.Top = &Top{
		Top1:  float64(counts.between(1, 1)) / pages,
		Top3:  float64(counts.between(1, 3)) / pages,
		Top10: float64(counts.between(1, 10)) / pages,
	}
	if found > 0 {
		middle := counts.median()
		r.Value.Top.Median = &middle
	}
	return r
}

// support is the share of mentions whose sentence carries a citation: plain counts.
func (v view) support(brand int) Row {
	t := v.unbranded.Brands[brand]
	r := v.inMarkdown(v.start("support", &v.b.def.Brands[brand], v.unbranded))
	r.Numerator, r.Denominator = float64(t.Supported), float64(t.Mentions)
	r.Value.Number = share(t.Supported, t.Mentions)
	r.Domains = map[string]int{}
	maps.Copy(r.Domains, t.listed().support)
	r.Pages = t.listed().pages
	return r
}

// coverage is eligible ÷ planned: plain counts, with branded prompts.
func (v view) coverage() Row {
	r := v.start("coverage", nil, v.all)
	r.Numerator, r.Denominator = float64(v.all.Eligible), float64(v.all.planned)
	r.Value.Number = share(v.all.Eligible, v.all.planned)
	return r
}

// sourceCounts are where a tally counts citations by each kind of source.
var sourceCounts = map[string]func(*CellCounts) map[string]int{
	"domain": func(t *CellCounts) map[string]int { return t.Domains },
	"url":    func(t *CellCounts) map[string]int { return t.URLs },
	"type":   func(t *CellCounts) map[string]int { return t.Types },
}

// most are the sources that a query asks for: all in alphabetical order, or those with
// the most citations, the first of them first.
func (v view) most(counts map[string]int) []string {
	sources := slices.Sorted(maps.Keys(counts))
	if v.q.Top == 0 {
		return sources
	}
	slices.SortStableFunc(sources, func(a, b string) int { return counts[b] - counts[a] })
	return sources[:min(len(sources), v.q.Top)]
}

// sources are the shares of citations by domain, URL or type.
func (v view) sources() []Row {
	by := v.q.Sources
	if len(by) == 0 {
		by = []string{"domain"}
	}
	var rows []Row
	for _, dimension := range by {
		counts := sourceCounts[dimension]
		for _, source := range v.most(counts(v.unbranded.CellCounts)) {
			r := v.row(shareOf(source, counts), 0)
			switch dimension {
			case "domain":
				r.Domain = source
			case "url":
				r.URL = source
			default:
				r.Type = source
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// share is the ratio of two counts, or nil of nothing.
func share(of, all int) *float64 {
	if all == 0 {
		return nil
	}
	ratio := float64(of) / float64(all)
	return &ratio
}
