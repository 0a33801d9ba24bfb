package metric

import (
	"slices"

	"earshot/internal/track/cells"
)

// overviewBlock is the block of a search page that contains the AI overview.
const overviewBlock = "searchoverview"

// addContents counts what an answer contains besides its text.
func (c *CellCounts) addContents(panel []PanelBrand, a *Observation) {
	if a.isPage() {
		c.Pages++
	}
	if a.Parts == nil {
		c.Unmarked++
	}
	reported := c.addReported(a)
	reports := func(n needs) bool { return reported[n-1] }
	if reports(needsSearches) {
		if n := int32(distinctSearches(a.Searches)); n > 0 {
			c.Searched++
			c.Searches += n
			c.SquaredSearches += n * n
		}
	}
	var ads []owner
	if reports(needsAds) {
		ads = adOwners(a.Ads)
		c.Ads += int32(len(ads))
	}
	if reports(needsLayout) {
		c.addLayout(a.Layout)
	}
	var products []ShownProduct
	if reports(needsProducts) {
		products = ShownProducts(a.Products)
		c.addOffers(products)
	}
	for i := range panel {
		b, counts := &panel[i], &c.Brands[i]
		counts.addAds(b, ads)
		if place := firstProduct(products, b); place > 0 {
			counts.writable().productRanks.Add(place, 1)
		}
		counts.addPages(b, a, reports)
		if a.namesOrganically(b.Name) {
			counts.NamedUnpaid++
		}
	}
}

func (b *BrandCounts) addAds(brand *PanelBrand, ads []owner) {
	n := int32(0)
	for i := range ads {
		if ads[i].is(brand) {
			n++
		}
	}
	b.Ads += n
	if n > 0 {
		b.Advertised++
	}
}

// addPages counts whether an answer retrieved and cited a page of a brand. A cited page was
// retrieved, even if it is not among the sources.
func (b *BrandCounts) addPages(brand *PanelBrand, a *Observation, reports func(needs) bool) {
	on := func(pages []Citation) bool {
		return slices.ContainsFunc(pages, func(page Citation) bool { return page.on(*brand) })
	}
	cites := on(a.CitedPages(a.Citations))
	retrieves := cites || reports(needsSources) && on(a.Sources)
	if cites {
		b.CitedPages++
	}
	if retrieves && reports(needsSources) {
		b.RetrievedPages++
	}
	if reports(needsSourcesCited) && retrieves {
		b.RetrievedOfBoth++
		if cites {
			b.CitedOfBoth++
		}
	}
}

// namesOrganically reports whether an answer names a brand outside its sponsored parts. A
// mention without a range is never sponsored.
func (a *Observation) namesOrganically(brand string) bool {
	for i := range a.Mentions {
		if m := &a.Mentions[i]; m.Brand == brand && m.counts() && !m.within(a.Parts) {
			return true
		}
	}
	return false
}

// within reports whether a mention shares a byte with a sponsored part.
func (m *Mention) within(parts []Part) bool {
	return slices.ContainsFunc(parts, func(p Part) bool {
		return p.Kind == Sponsored && max(m.Start, p.Start) < min(m.End, p.End)
	})
}

// addLayout counts the blocks of a search page. The position of a type is its lowest one.
func (c *CellCounts) addLayout(blocks []Block) {
	lowest := map[string]int{}
	for _, block := range blocks {
		if at, seen := lowest[block.Type]; !seen || block.Position < at {
			lowest[block.Type] = block.Position
		}
	}
	if _, has := lowest[overviewBlock]; has {
		c.Overviews++
	}
	if c.sources&ByBlock == 0 {
		return
	}
	for kind, at := range lowest {
		c.writable().addBlock(kind, cells.Places{{At: at, Count: 1}})
	}
}

// addOffers counts the offers and prices of products.
func (c *CellCounts) addOffers(products []ShownProduct) {
	for _, p := range products {
		if c.sources&ByMerchant != 0 {
			for _, merchant := range p.merchants() {
				c.writable().offers++
				count(&c.lists.merchants, merchant)
			}
		}
		if c.sources&ByPrice == 0 {
			continue
		}
		for currency, values := range p.Prices() {
			c.writable().addPrices(priceKey{p.Key, currency}, prices{1, values})
		}
	}
}

func (l *contentLists) addPrices(key priceKey, more prices) {
	if l.prices == nil {
		l.prices = map[priceKey]prices{}
	}
	known := l.prices[key]
	known.answers += more.answers
	known.values = append(known.values, more.values...)
	l.prices[key] = known
}

func (l *contentLists) addBlock(kind string, more cells.Places) {
	if l.blocks == nil {
		l.blocks = map[string]cells.Places{}
	}
	places := l.blocks[kind]
	places.Merge(more)
	l.blocks[kind] = places
}

// readable returns the lists, or empty lists. The caller must not change them.
func (c *CellCounts) readable() contentLists {
	if c.lists == nil {
		return contentLists{}
	}
	return *c.lists
}

// writable returns the lists for the caller to change.
func (c *CellCounts) writable() *contentLists {
	if c.lists == nil {
		c.lists = &contentLists{}
	}
	return c.lists
}

// mergeContents adds the counts of contents.
func (c *CellCounts) mergeContents(other *CellCounts) {
	for i := range fieldSets {
		c.Reported[i] += other.Reported[i]
		c.NotRequested[i] += other.NotRequested[i]
	}
	c.Pages += other.Pages
	c.Unmarked += other.Unmarked
	c.Searched += other.Searched
	c.Searches += other.Searches
	c.SquaredSearches += other.SquaredSearches
	c.Ads += other.Ads
	c.Overviews += other.Overviews
}
