package metric

import (
	"cmp"
	"slices"

	"earshot/internal/track/cells"
)

// CellCounts are the counts of the answers of one cell in one sweep, or a sum of such
// counts. All of them are integers, so that the order of additions does not matter. They are
// small integers, because large trackers have millions of cells.
type CellCounts struct {
	Eligible    int32
	Refused     int32
	Informative int32          // answers that name any brand of the panel
	Citations   int32          // each URL once per answer
	Organic     int32          // answers with organic results
	Attached    int32          // answers that distinguish attached from shown sources
	Plain       int32          // answers without Markdown: they have no list ranks and no support
	Brands      []BrandCounts  // in the order of Definition.Brands
	Domains     map[string]int // citations by domain
	URLs        map[string]int // citations by URL
	Types       map[string]int // citations by source type

	// By the fields of Contents that a metric needs, in the order of fieldSets:
	Reported     [len(fieldSets)]int32 // answers that report all of them
	NotRequested [len(fieldSets)]int32 // answers that do not, because a field was not requested

	Pages           int32 // search pages
	Unmarked        int32 // answers whose provider does not mark parts
	Searched        int32 // answers with a search
	Searches        int32 // each search once per answer
	SquaredSearches int32 // Σ of the squared numbers of searches of each answer
	Ads             int32
	Overviews       int32 // search pages with an AI overview

	sources Sources       // which source counts Add fills in
	lists   *contentLists // nil if all lists are empty
}

// contentLists are the counts of contents that are not a single number. Sheets do not have
// them.
type contentLists struct {
	offers    int                     // each product and merchant once per answer
	merchants map[string]int          // offers by MerchantKey
	prices    map[priceKey]prices     // by product and currency
	blocks    map[string]cells.Places // search pages by block type and its lowest position
}

// Sources selects the source counts to fill in. Most metrics do not need any.
type Sources uint16

// The source counts: citations by domain, URL and type, supported mentions by the domain that
// supports them, offers by merchant, prices by product, and search pages by block.
const (
	ByDomain Sources = 1 << iota
	ByURL
	ByType
	BySupport
	ByMerchant
	ByPrice
	ByBlock
	// SourcesOnly skips all counts of brands except mentions and their support.
	SourcesOnly

	NoSources  Sources = 0
	AllSources         = ByDomain | ByURL | ByType | BySupport | ByMerchant | ByPrice | ByBlock
)

// BrandCounts are the counts of one brand. Citations, Mentions, Supported and Ads count what
// their names say; all others count answers.
type BrandCounts struct {
	Named     int32
	Cited     int32
	Both      int32 // named and cited
	Retrieved int32 // cited or attached, in answers that distinguish the two
	Citations int32 // on the brand's domains, each URL once per answer
	Mentions  int32 // in Markdown only, because plain text does not show what a sentence cites
	Supported int32 // mentions whose sentence has a citation

	NamedUnpaid     int32 // named outside sponsored parts
	RetrievedPages  int32 // a page of the brand is among the sources, or cited
	CitedPages      int32 // a page of the brand is cited
	RetrievedOfBoth int32 // like RetrievedPages, in answers that report sources and cited pages
	CitedOfBoth     int32 // like CitedPages, in these answers
	Advertised      int32 // an ad is the brand's
	Ads             int32

	lists *brandLists // nil if all lists are empty, which saves memory in most cells
}

// brandLists are the counts of a brand that are not a single number.
type brandLists struct {
	positions    cells.Places // answers by position
	listRanks    cells.Places
	ranks        cells.Places
	productRanks cells.Places
	support      map[string]int // supported mentions by domain
}

// columns is a set of counts. A measure states which counts it reads, so that the others need not
// be read and added up. Its lowest bits are cellColumns, followed by brandColumns and placeColumns.
type columns uint64

// The counts, in the order of cellColumns, brandColumns and placeColumns. colReported and
// colNotRequested are the first of one column for each of fieldSets.
const (
	colEligible columns = 1 << iota
	colInformative
	colCitations
	colOrganic
	colAttached
	colRefused
	colPlain
	colPages
	colUnmarked
	colSearched
	colSearches
	colSquaredSearches
	colAds
	colOverviews
	colReported

	colNotRequested = colReported << len(fieldSets)
)

const (
	colNamed columns = colNotRequested << len(fieldSets) << iota
	colMentions
	colCited
	colBrandCitations
	colBoth
	colSupported
	colRetrieved
	colNamedUnpaid
	colRetrievedPages
	colCitedPages
	colRetrievedOfBoth
	colCitedOfBoth
	colAdvertised
	colBrandAds

	colPositions
	colListRanks
	colRanks
	colProductRanks

	allColumns = colProductRanks<<1 - 1
	// denominators are the counts that cells which are alike share.
	denominators = colEligible | colAttached | (colReported<<len(fieldSets) - colReported)
)

// The columns of stored counts. Their order is part of the stored format.
var (
	cellColumns = append([]func(*CellCounts) *int32{
		func(c *CellCounts) *int32 { return &c.Eligible },
		func(c *CellCounts) *int32 { return &c.Informative },
		func(c *CellCounts) *int32 { return &c.Citations },
		func(c *CellCounts) *int32 { return &c.Organic },
		func(c *CellCounts) *int32 { return &c.Attached },
		func(c *CellCounts) *int32 { return &c.Refused },
		func(c *CellCounts) *int32 { return &c.Plain },
		func(c *CellCounts) *int32 { return &c.Pages },
		func(c *CellCounts) *int32 { return &c.Unmarked },
		func(c *CellCounts) *int32 { return &c.Searched },
		func(c *CellCounts) *int32 { return &c.Searches },
		func(c *CellCounts) *int32 { return &c.SquaredSearches },
		func(c *CellCounts) *int32 { return &c.Ads },
		func(c *CellCounts) *int32 { return &c.Overviews },
	}, reportedColumns()...)
	brandColumns = [...]func(*BrandCounts) *int32{
		func(b *BrandCounts) *int32 { return &b.Named },
		func(b *BrandCounts) *int32 { return &b.Mentions },
		func(b *BrandCounts) *int32 { return &b.Cited },
		func(b *BrandCounts) *int32 { return &b.Citations },
		func(b *BrandCounts) *int32 { return &b.Both },
		func(b *BrandCounts) *int32 { return &b.Supported },
		func(b *BrandCounts) *int32 { return &b.Retrieved },
		func(b *BrandCounts) *int32 { return &b.NamedUnpaid },
		func(b *BrandCounts) *int32 { return &b.RetrievedPages },
		func(b *BrandCounts) *int32 { return &b.CitedPages },
		func(b *BrandCounts) *int32 { return &b.RetrievedOfBoth },
		func(b *BrandCounts) *int32 { return &b.CitedOfBoth },
		func(b *BrandCounts) *int32 { return &b.Advertised },
		func(b *BrandCounts) *int32 { return &b.Ads },
	}
	placeColumns = [...]func(*brandLists) *cells.Places{
		func(l *brandLists) *cells.Places { return &l.positions },
		func(l *brandLists) *cells.Places { return &l.listRanks },
		func(l *brandLists) *cells.Places { return &l.ranks },
		func(l *brandLists) *cells.Places { return &l.productRanks },
	}
)

// reportedColumns returns the columns of Reported, then the ones of NotRequested.
func reportedColumns() (columns []func(*CellCounts) *int32) {
	for i := range fieldSets {
		columns = append(columns, func(c *CellCounts) *int32 { return &c.Reported[i] })
	}
	for i := range fieldSets {
		columns = append(columns, func(c *CellCounts) *int32 { return &c.NotRequested[i] })
	}
	return columns
}

// NewCellCounts returns empty counts for a panel of that many brands.
func NewCellCounts(brands int) *CellCounts {
	return &CellCounts{Brands: make([]BrandCounts, brands), sources: AllSources}
}

// CountSources selects the source counts that Add fills in. The default is AllSources.
func (c *CellCounts) CountSources(kinds Sources) { c.sources = kinds }

// Add counts an answer and keeps no reference to it. It ignores answers that are not
// eligible.
func (c *CellCounts) Add(panel []PanelBrand, a Observation) {
	if !a.Outcome.eligible() {
		return
	}
	c.Eligible++
	if a.Outcome == Refused {
		c.Refused++
	}
	if a.Organic != nil {
		c.Organic++
	}
	if a.Attached != nil {
		c.Attached++
	}
	if a.Plain {
		c.Plain++
	}
	cited := distinct(a.Citations)
	c.Citations += int32(len(cited))
	for _, citation := range cited {
		if c.sources&ByDomain != 0 {
			count(&c.Domains, citation.Domain)
		}
		if c.sources&ByURL != 0 {
			count(&c.URLs, citation.URL)
		}
		if c.sources&ByType != 0 && citation.Type != "" {
			count(&c.Types, citation.Type)
		}
	}
	named := false
	for i := range panel {
		if c.sources&SourcesOnly != 0 {
			c.Brands[i].addMentions(panel[i].Name, a, c.sources)
		} else if c.Brands[i].add(panel[i], a, cited, c.sources) {
			named = true
		}
	}
	if named {
		c.Informative++
	}
	if c.sources&SourcesOnly == 0 {
		c.addContents(panel, &a)
	}
}

// add counts an answer for one brand and reports whether the answer names the brand.
func (b *BrandCounts) add(brand PanelBrand, a Observation, cited []Citation, sources Sources) (named bool) {
	on := int32(0)
	for _, c := range cited {
		if c.on(brand) {
			on++
		}
	}
	named = b.addMentions(brand.Name, a, sources)
	b.Citations += on
	if named {
		b.Named++
	}
	if on > 0 {
		b.Cited++
	}
	if named && on > 0 {
		b.Both++
	}
	if a.Attached != nil && (on > 0 || slices.ContainsFunc(a.Attached, func(c Citation) bool { return c.on(brand) })) {
		b.Retrieved++
	}
	if rank := firstOn(brand, a.Organic); rank > 0 {
		b.writable().ranks.Add(rank, 1)
	}
	return named
}

// addMentions counts the mentions of a brand and reports whether there are any.
func (b *BrandCounts) addMentions(brand string, a Observation, sources Sources) (named bool) {
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
		b.Mentions++
		listRank = cmp.Or(listRank, m.ListRank)
		if len(m.Domains) > 0 {
			b.Supported++
		}
		if sources&BySupport != 0 {
			for _, domain := range slices.Compact(slices.Sorted(slices.Values(m.Domains))) {
				count(&b.writable().support, domain)
			}
		}
	}
	if position > 0 {
		b.writable().positions.Add(position, 1)
	}
	if listRank > 0 {
		b.writable().listRanks.Add(listRank, 1)
	}
	return named
}

// firstOn returns the best position of a result on the brand's domains, or 0.
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

// readable returns the lists, or empty lists. The caller must not change them.
func (b *BrandCounts) readable() brandLists {
	if b.lists == nil {
		return brandLists{}
	}
	return *b.lists
}

// writable returns the lists for the caller to change.
func (b *BrandCounts) writable() *brandLists {
	if b.lists == nil {
		b.lists = &brandLists{}
	}
	return b.lists
}

// Merge adds the counts of another sample, cell or sweep with the same panel. It names every
// field, because a loop over the columns takes twice as long.
func (c *CellCounts) Merge(other *CellCounts) {
	c.Eligible += other.Eligible
	c.Refused += other.Refused
	c.Informative += other.Informative
	c.Citations += other.Citations
	c.Organic += other.Organic
	c.Attached += other.Attached
	c.Plain += other.Plain
	c.mergeContents(other)
	c.mergeLists(other)
	for i := range other.Brands {
		c.Brands[i].merge(&other.Brands[i])
	}
}

func (b *BrandCounts) merge(other *BrandCounts) {
	b.Named += other.Named
	b.Cited += other.Cited
	b.Both += other.Both
	b.Retrieved += other.Retrieved
	b.Citations += other.Citations
	b.Mentions += other.Mentions
	b.Supported += other.Supported
	b.NamedUnpaid += other.NamedUnpaid
	b.RetrievedPages += other.RetrievedPages
	b.CitedPages += other.CitedPages
	b.RetrievedOfBoth += other.RetrievedOfBoth
	b.CitedOfBoth += other.CitedOfBoth
	b.Advertised += other.Advertised
	b.Ads += other.Ads
	if other.lists == nil {
		return
	}
	lists := b.writable()
	lists.positions.Merge(other.lists.positions)
	lists.listRanks.Merge(other.lists.listRanks)
	lists.ranks.Merge(other.lists.ranks)
	lists.productRanks.Merge(other.lists.productRanks)
}

// mergeLists adds the counts that are not stored with cells.
func (c *CellCounts) mergeLists(other *CellCounts) {
	merge(&c.Domains, other.Domains)
	merge(&c.URLs, other.URLs)
	merge(&c.Types, other.Types)
	for i := range other.Brands {
		if lists := other.Brands[i].lists; lists != nil && lists.support != nil {
			merge(&c.Brands[i].writable().support, lists.support)
		}
	}
	if other.lists == nil {
		return
	}
	lists := c.writable()
	lists.offers += other.lists.offers
	merge(&lists.merchants, other.lists.merchants)
	for key, more := range other.lists.prices {
		lists.addPrices(key, more)
	}
	for kind, more := range other.lists.blocks {
		lists.addBlock(kind, more)
	}
}

// newCounts returns empty counts of n cells for a panel of that many brands.
func newCounts(n, brands int) []CellCounts {
	counts, of := make([]CellCounts, n), make([]BrandCounts, n*brands)
	for i := range counts {
		counts[i].Brands = of[i*brands : (i+1)*brands : (i+1)*brands]
	}
	return counts
}

func count(counts *map[string]int, key string) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[key]++
}

func merge(counts *map[string]int, more map[string]int) {
	if *counts == nil && len(more) > 0 {
		*counts = map[string]int{}
	}
	for key, n := range more {
		(*counts)[key] += n
	}
}
