package metric

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"earshot/internal/track/cells"
)

// Row is the value of one metric for one cut.
type Row struct {
	Metric string  `json:"metric"` // with the version of its definition: visibility@m1
	Brand  *string `json:"brand"`  // nil if the metric does not depend on a brand
	Labels
	// Via is the vendor that a row of one of several vendors is restricted to.
	Via     string `json:"via,omitempty"`
	Missing *int   `json:"missing,omitempty"` // planned answers that are not eligible; nil with Via
	Value   Value  `json:"value"`
	// Numerator and Denominator are plain counts. Their ratio equals the value only if all
	// cells have the same weight and the same number of answers.
	Numerator   float64 `json:"numerator"`
	Denominator float64 `json:"denominator"`
	Answers     int     `json:"answers"` // eligible

	// Only for rates and ratios:
	Cells       *int       `json:"cells,omitempty"`
	Sweeps      *int       `json:"sweeps,omitempty"`
	Interval    *Intervals `json:"interval"`
	Provisional *bool      `json:"provisional,omitempty"`
	Lag1        *float64   `json:"-"` // correlation of neighbouring sweep means

	// One of these is set for citationShare without a brand:
	Domain string `json:"domain,omitempty"`
	URL    string `json:"url,omitempty"`
	Type   string `json:"type,omitempty"`

	Weighted *float64 `json:"weighted,omitempty"` // for stability: 1 − Bray–Curtis

	// NotRequested and NotOffered are the numbers of eligible answers that are left out because
	// they do not report what the metric needs. For listRank and support, NotRequested is the
	// number of answers without Markdown. If no other answers remain, Reason is set.
	NotRequested *int   `json:"notRequested,omitempty"`
	NotOffered   *int   `json:"notOffered,omitempty"`
	Reason       Reason `json:"reason,omitempty"`

	// For organicVisibility: the number of answers whose provider does not mark sponsored parts.
	// If these are all answers, Note is PaidNotMarked.
	NotMarked *int   `json:"notMarked,omitempty"`
	Note      string `json:"note,omitempty"`

	Merchant       string       `json:"merchant,omitempty"` // for merchantShare: MerchantKey
	Product        string       `json:"product,omitempty"`  // for price: Product.Key
	Currency       string       `json:"currency,omitempty"`
	Points         []PricePoint `json:"points,omitempty"` // for price: sweeps with a price
	Block          string       `json:"block,omitempty"`  // for blockRate: the type
	MedianPosition *float64     `json:"medianPosition,omitempty"`

	// For support: the supported mentions by domain.
	Domains map[string]int `json:"domains,omitzero"`
}

// Reason is the reason why a row has no value.
type Reason string

// The reasons: the questions did not request the data that the metric needs, or the provider
// or upstream never returns it.
const (
	NotRequested Reason = "notRequested"
	NotOffered   Reason = "notOffered"
)

// PaidNotMarked is the note of organicVisibility if it equals visibility because no answer
// marks sponsored parts.
const PaidNotMarked = "paidNotMarked"

// Value is a number, a distribution of places or a range of prices. If no field is set there
// is no value.
type Value struct {
	Number *float64
	Places *Places
	Top    *Top
	Price  *PriceRange
}

// Places is the distribution of a brand's positions over the answers that name it. If no
// answer has a position, its fields are nil.
type Places struct {
	Median     *float64 `json:"median"`
	First      *float64 `json:"first"`
	TwoToThree *float64 `json:"twoToThree"`
	FourOrMore *float64 `json:"fourOrMore"`
}

// Top is the distribution of the rank of a brand's domains on search pages.
type Top struct {
	Median *float64 `json:"median"` // over the pages with a result of the brand; nil if there is no such page
	Top1   float64  `json:"top1"`   // share of all pages, like the next two
	Top3   float64  `json:"top3"`
	Top10  float64  `json:"top10"`
}

// MarshalJSON writes the field that is set, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.Places != nil:
		return json.Marshal(v.Places)
	case v.Top != nil:
		return json.Marshal(v.Top)
	case v.Price != nil:
		return json.Marshal(v.Price)
	default:
		return json.Marshal(v.Number)
	}
}

// coverage is the only metric of unweighted that does not depend on a brand.
const coverage = "coverage" + M1

// unweighted are the metrics that ignore weights and have no interval.
var unweighted = []string{"position" + M1, "listRank" + M1, "support" + M1, "rank" + M1, coverage, "productRank" + M2}

// The metrics with one row per merchant, per product and currency, and per block.
const (
	merchantShare = "merchantShare" + M2
	price         = "price" + M2
	blockRate     = "blockRate" + M2
)

// onlyNamed are the metrics that rows contain only if the query names them: they need answers,
// or the cells of every sweep.
var onlyNamed = []string{merchantShare, price, blockRate, stabilities[0].name, stabilities[1].name}

// names returns the names of all metrics that rows can have, with their versions.
func names() []string {
	all := slices.Clone(unweighted)
	for _, m := range measures {
		all = append(all, m.name)
	}
	return append(all, onlyNamed...)
}

// Rows computes the rows of a query: for each cut the metrics of each brand in the order of
// the panel, then the metrics without a brand.
func (b *Dataset) Rows(q Query) ([]Row, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	cuts := b.cuts(q)
	if n := b.maxRows(q, cuts); q.MaxRows > 0 && n > q.MaxRows {
		return nil, fmt.Errorf("by: makes up to %d rows, and at most %d are made at once: ask for one metric, for one brand, or filter", n, q.MaxRows)
	}
	parts := make([][]Row, len(cuts))
	inParallel(len(cuts), func(i int) { parts[i] = b.rowsOf(cuts[i], q) })
	rows := slices.Concat(parts...)
	return slices.DeleteFunc(rows, func(r Row) bool { return !r.matches(q.Having) }), nil
}

// inParallel calls use with 0 to n-1, on all processors.
func inParallel(n int, use func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				use(i)
			}
		})
	}
	workers.Wait()
}

// maxRows returns an upper limit of the number of rows, without rows by source.
func (b *Dataset) maxRows(q Query, cuts []cut) (n int) {
	ofBrand, others := 0, 0
	add := func(isWanted, perBrand bool) {
		switch {
		case isWanted && perBrand:
			ofBrand++
		case isWanted:
			others++
		}
	}
	for _, m := range measures {
		add(q.wants(m.name), m.brand)
	}
	for _, name := range unweighted {
		add(q.wants(name), name != coverage)
	}
	for _, name := range onlyNamed {
		add(q.wants(name), false)
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

// matches reports whether a selection allows a row.
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

func (b *Dataset) rowsOf(c cut, q Query) (rows []Row) {
	v := b.newView(c, q)
	wanted, picked := q.Having["brand"]
	for _, brand := range c.panel {
		if !picked || slices.Contains(wanted, b.def.Brands[brand].Name) {
			rows = append(rows, v.ofBrand(brand)...)
		}
	}
	for _, m := range measures {
		if !m.brand && q.wants(m.name) && v.counts(m) {
			rows = append(rows, v.row(m, 0))
		}
	}
	if q.wants(coverage) {
		rows = append(rows, v.coverage())
	}
	if q.wants("citationShare"+M1) && !q.BrandsOnly {
		rows = append(rows, v.sources()...)
	}
	return slices.Concat(rows, v.merchants(), v.prices(), v.blocks(), v.stability())
}

// view computes the rows of a cut.
type view struct {
	b              *Dataset
	e              *evidence
	q              Query
	unbranded, all *total
}

func (b *Dataset) newView(c cut, q Query) view {
	e := b.evidence(c, q.reads())
	return view{b: b, e: e, q: q, unbranded: e.total(b, false), all: e.total(b, true)}
}

// start returns a row with the fields that all metrics have.
func (v view) start(name string, brand *PanelBrand, t *total) Row {
	r := Row{Metric: name, Labels: v.e.cut.labels, Missing: new(t.planned - int(t.Eligible)), Answers: int(t.Eligible)}
	if brand != nil {
		r.Brand = &brand.Name
	}
	return r
}

// counts reports whether a measure has a row: a metric m2 only if there are answers that could
// report what it needs.
func (v view) counts(m measure) bool {
	if !m.isContent() {
		return true
	}
	return v.couldReport(m.needs)
}

// row returns the row of a rate, a ratio or a mean.
func (v view) row(m measure, brand int) Row {
	var of *PanelBrand
	if m.brand {
		of = &v.b.def.Brands[brand]
	}
	t := v.unbranded
	if m.branded {
		t = v.all
	}
	r := v.start(m.name, of, t)
	if m.isContent() {
		if r = v.reported(r, m.needs); r.Reason != "" {
			return r
		}
	}
	e := v.e.estimate(v.b, m, brand)
	provisional := e.Provisional()
	r.Value.Number, r.Numerator, r.Denominator, r.Answers = e.Value, e.Numerator, e.Denominator, e.Answers
	r.Cells, r.Sweeps, r.Interval, r.Provisional, r.Lag1 = &e.Cells, &e.Sweeps, e.Interval, &provisional, e.Lag1
	if m.name == organicVisibility {
		r = v.marked(r)
	}
	return r
}

// knowing returns the view of the sweeps whose rules knew some brands.
func (v view) knowing(brands []int) view {
	c := v.b.knowing(v.e.cut, brands)
	if len(c.sweeps) == len(v.e.cut.sweeps) {
		return v
	}
	return v.b.newView(c, v.q)
}

func (v view) ofBrand(brand int) []Row {
	v = v.knowing([]int{brand})
	var rows []Row
	for _, m := range measures {
		switch {
		case !m.brand || m.optional || !v.q.wants(m.name) || !v.counts(m):
		case m.panel:
			rows = append(rows, v.knowing(v.e.cut.panel).row(m, brand))
		default:
			rows = append(rows, v.row(m, brand))
		}
	}
	t, of := v.unbranded.Brands[brand], &v.b.def.Brands[brand]
	if v.q.wants("position" + M1) {
		rows = append(rows, v.places(v.start("position"+M1, of, v.unbranded), t.readable().positions))
	}
	if v.q.wants("listRank" + M1) {
		rows = append(rows, v.places(v.inMarkdown(v.start("listRank"+M1, of, v.unbranded)), t.readable().listRanks))
	}
	if v.q.wants("support" + M1) {
		rows = append(rows, v.support(brand))
	}
	if v.q.wants("rank"+M1) && v.unbranded.Organic > 0 {
		rows = append(rows, v.rank(brand))
	}
	if v.q.wants("productRank"+M2) && v.couldReport(needsProducts) {
		rows = append(rows, v.places(v.reported(v.start("productRank"+M2, of, v.unbranded), needsProducts), t.readable().productRanks))
	}
	for _, m := range measures {
		if m.brand && m.optional && v.q.wants(m.name) && m.n(v.unbranded.CellCounts) > 0 {
			rows = append(rows, v.row(m, brand))
		}
	}
	return rows
}

// inMarkdown leaves answers without Markdown out of a row. Plain text shows neither lists
// nor support, so counting these answers would lower the value.
func (v view) inMarkdown(r Row) Row {
	plain := int(v.unbranded.Plain)
	if plain == 0 {
		return r
	}
	r.NotRequested = &plain
	if r.Answers -= plain; r.Answers == 0 {
		r.Reason = NotRequested
	}
	return r
}

// places sets the value of position, listRank or productRank: unweighted, over the answers that have one.
func (v view) places(r Row, counts cells.Places) Row {
	found := counts.Between(1, 0)
	r.Numerator, r.Denominator = float64(found), float64(r.Answers)
	if r.Reason == "" {
		r.Value.Places = &Places{}
	}
	if found > 0 {
		r.Value.Places = &Places{
			Median: new(counts.Median()),
			First:  Share(counts.Between(1, 1), found), TwoToThree: Share(counts.Between(2, 3), found), FourOrMore: Share(counts.Between(4, 0), found),
		}
	}
	return r
}

// rank returns the row of the position of the first organic result on the brand's domains.
// Shares are over all answers with organic results, the median over those with such a result.
func (v view) rank(brand int) Row {
	r := v.start("rank"+M1, &v.b.def.Brands[brand], v.unbranded)
	counts, pages := v.unbranded.Brands[brand].readable().ranks, float64(v.unbranded.Organic)
	found := counts.Between(1, 0)
	r.Numerator, r.Denominator = float64(found), pages
	r.Value.Top = &Top{
		Top1:  float64(counts.Between(1, 1)) / pages,
		Top3:  float64(counts.Between(1, 3)) / pages,
		Top10: float64(counts.Between(1, 10)) / pages,
	}
	if found > 0 {
		r.Value.Top.Median = new(counts.Median())
	}
	return r
}

// support returns the row of the unweighted share of mentions whose sentence has a citation.
func (v view) support(brand int) Row {
	t := v.unbranded.Brands[brand]
	r := v.inMarkdown(v.start("support"+M1, &v.b.def.Brands[brand], v.unbranded))
	r.Numerator, r.Denominator = float64(t.Supported), float64(t.Mentions)
	r.Value.Number = Share(int(t.Supported), int(t.Mentions))
	r.Domains = map[string]int{}
	maps.Copy(r.Domains, t.readable().support)
	return r
}

// coverage returns the row of eligible ÷ planned answers, branded prompts included.
func (v view) coverage() Row {
	r := v.start(coverage, nil, v.all)
	r.Numerator, r.Denominator = float64(v.all.Eligible), float64(v.all.planned)
	r.Value.Number = Share(int(v.all.Eligible), v.all.planned)
	return r
}

// Share returns the ratio of two counts, or nil if all is 0.
func Share(of, all int) *float64 {
	if all == 0 {
		return nil
	}
	return new(float64(of) / float64(all))
}
