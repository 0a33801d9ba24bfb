package metric

import "slices"

// CellCounts is what is kept of the answers of one cell in one sweep. It holds whole numbers
// only, so that adding is exact and its order does not matter.
type CellCounts struct {
	Eligible    int
	Refused     int
	Informative int            // answers that name any brand of the panel
	Citations   int            // each URL once an answer
	Organic     int            // answers with organic results
	Attached    int            // answers that tell sources attached from sources shown
	Plain       int            // answers without Markdown, which have no list ranks and no support
	Brands      []BrandCounts  // in the order of Definition.Brands
	Domains     map[string]int // citations by domain
	URLs        map[string]int // by URL
	Types       map[string]int // by type of source

	sources Sources // which of the three before, and of Support, are counted
}

// Sources says by what citations are counted, which most numbers do not need.
type Sources uint8

// The kinds of sources: pages that are cited by their domain, URL and type, and the domains
// and URLs that support mentions.
const (
	ByDomain Sources = 1 << iota
	ByURL
	ByType
	BySupport
	BySupportURL
	// SourcesOnly leaves all numbers of brands out but what supports their mentions.
	SourcesOnly

	NoSources  Sources = 0
	AllSources         = ByDomain | ByURL | ByType | BySupport
)

// BrandCounts is the part of a tally that concerns one brand. All but Citations, Mentions
// and Supported count answers.
type BrandCounts struct {
	Named     int
	Cited     int
	Both      int // named and cited
	Retrieved int // cited or attached, of those that tell
	Citations int // on the brand's domains, each URL once an answer
	Mentions  int // in Markdown, which says what a sentence cites
	Supported int // mentions whose sentence carries a citation

	lists *brandLists // nil where all are empty: millions of tallies are read for their counts alone
}

// brandLists are the counts of a brand that are no single number.
type brandLists struct {
	positions PlaceCounts // answers by position
	listRanks PlaceCounts
	ranks     PlaceCounts
	support   map[string]int // supported mentions by domain
	pages     map[string]int // the same by URL
}

// listed are the lists, to be read.
func (t *BrandCounts) listed() brandLists {
	if t.lists == nil {
		return brandLists{}
	}
	return *t.lists
}

// own are the lists, to be changed.
func (t *BrandCounts) own() *brandLists {
	if t.lists == nil {
		t.lists = &brandLists{}
	}
	return t.lists
}

// NewCellCounts is an empty tally for a panel of that many brands.
func NewCellCounts(brands int) *CellCounts {
	return &CellCounts{Brands: make([]BrandCounts, brands), sources: AllSources}
}

// CountSources has citations counted by some kinds of sources, rather than by all.
func (t *CellCounts) CountSources(kinds Sources) { t.sources = kinds }

// Add folds an answer in. Nothing of it is kept. One that is not eligible changes nothing.
func (t *CellCounts) Add(panel []PanelBrand, a Observation) {
	if !a.Outcome.eligible() {
		return
	}
	t.Eligible++
	if a.Outcome == Refused {
		t.Refused++
	}
	if a.Organic != nil {
		t.Organic++
	}
	if a.Attached != nil {
		t.Attached++
	}
	cited := distinct(a.Citations)
	t.Citations += len(cited)
	for _, c := range cited {
		if t.sources&ByDomain != 0 {
			count(&t.Domains, c.Domain)
		}
		if t.sources&ByURL != 0 {
			count(&t.URLs, c.URL)
		}
		if t.sources&ByType != 0 && c.Type != "" {
			count(&t.Types, c.Type)
		}
	}
	if a.Plain {
		t.Plain++
	}
	if t.sources&SourcesOnly != 0 {
		for i := range panel {
			if t.sources&(BySupport|BySupportURL) != 0 {
				t.Brands[i].addMentions(panel[i].Name, a, t.sources)
			}
		}
		return
	}
	named := false
	for i := range panel {
		before := t.Brands[i].Named
		t.Brands[i].add(panel[i], a, cited, t.sources)
		named = named || t.Brands[i].Named > before
	}
	if named {
		t.Informative++
	}
}

func (t *BrandCounts) add(brand PanelBrand, a Observation, cited []Citation, sources Sources) {
	on := 0
	for _, c := range cited {
		if c.on(brand) {
			on++
		}
	}
	named := t.addMentions(brand.Name, a, sources)
	t.Citations += on
	if named {
		t.Named++
	}
	if on > 0 {
		t.Cited++
	}
	if named && on > 0 {
		t.Both++
	}
	if a.Attached != nil && (on > 0 || slices.ContainsFunc(a.Attached, func(c Citation) bool { return c.on(brand) })) {
		t.Retrieved++
	}
	if rank := firstOn(brand, a.Organic); rank > 0 {
		t.own().ranks.add(rank, 1)
	}
}

// addMentions counts the mentions of a brand, and reports whether there are any.
func (t *BrandCounts) addMentions(brand string, a Observation, sources Sources) (named bool) {
	position, listRank := 0, 0
	for i := range a.Mentions {
		m := &a.Mentions[i]
		if m.Brand != brand || !m.counts() {
			continue
		}
		named = true
		if m.Position > 0 && (position == 0 || m.Position < position) {
			position = m.Position
		}
		if a.Plain {
			continue
		}
		t.Mentions++
		if listRank == 0 {
			listRank = m.ListRank
		}
		if len(m.Domains) > 0 {
			t.Supported++
		}
		if sources&BySupport != 0 {
			for _, domain := range slices.Compact(slices.Sorted(slices.Values(m.Domains))) {
				count(&t.own().support, domain)
			}
		}
		if sources&BySupportURL != 0 {
			for _, at := range m.Cited {
				count(&t.own().pages, a.Citations[at].URL)
			}
		}
	}
	if position > 0 {
		t.own().positions.add(position, 1)
	}
	if listRank > 0 {
		t.own().listRanks.add(listRank, 1)
	}
	return named
}

// firstOn is the best position of a result on the brand's domains, or 0.
func firstOn(brand PanelBrand, results []Citation) int {
	best := 0
	for i, result := range results {
		position := result.Position
		if position < 1 {
			position = i + 1
		}
		if result.on(brand) && (best == 0 || position < best) {
			best = position
		}
	}
	return best
}

// Merge adds another tally of the same panel: of another sample, cell or sweep.
func (t *CellCounts) Merge(other *CellCounts) {
	t.Eligible += other.Eligible
	t.Refused += other.Refused
	t.Informative += other.Informative
	t.Citations += other.Citations
	t.Organic += other.Organic
	t.Attached += other.Attached
	t.Plain += other.Plain
	merge(&t.Domains, other.Domains)
	merge(&t.URLs, other.URLs)
	merge(&t.Types, other.Types)
	for i := range other.Brands {
		t.Brands[i].merge(&other.Brands[i])
	}
}

func (t *BrandCounts) merge(other *BrandCounts) {
	t.Named += other.Named
	t.Cited += other.Cited
	t.Both += other.Both
	t.Retrieved += other.Retrieved
	t.Citations += other.Citations
	t.Mentions += other.Mentions
	t.Supported += other.Supported
	if other.lists == nil {
		return
	}
	t.own().positions.merge(other.lists.positions)
	t.own().listRanks.merge(other.lists.listRanks)
	t.own().ranks.merge(other.lists.ranks)
	merge(&t.own().support, other.lists.support)
	merge(&t.own().pages, other.lists.pages)
}

func count[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

func merge[K comparable](counts *map[K]int, more map[K]int) {
	if *counts == nil && len(more) > 0 {
		*counts = map[K]int{}
	}
	for key, n := range more {
		(*counts)[key] += n
	}
}
