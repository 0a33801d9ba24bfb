package metric

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
		if n := distinctSearches(a.Searches); n > 0 {
			c.Searched++
			c.Searches += n
			c.SquaredSearches += n * n
		}
	}
	if reports(needsAds) {
		c.Ads += len(a.Ads)
	}
	if reports(needsLayout) {
		c.addLayout(a.Layout)
	}
	var products []shown
	if reports(needsProducts) {
		products = shownProducts(a.Products)
		c.addOffers(products)
	}
	for i := range panel {
		b, counts := &panel[i], &c.Brands[i]
		if reports(needsAds) {
			counts.addAds(b, a.Ads)
		}
		if place := firstProduct(products, b); place > 0 {
			counts.writable().productRanks.add(place, 1)
		}
		counts.addPages(b, a, reports)
		if a.namesOrganically(b.Name) {
			counts.NamedUnpaid++
		}
	}
}

func (b *BrandCounts) addAds(brand *PanelBrand, ads []Ad) {
	n := 0
	for i := range ads {
		if ads[i].of(brand) {
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
		for _, page := range pages {
			if page.on(*brand) {
				return true
			}
		}
		return false
	}
	cites := reports(needsCited) && on(a.cited())
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
	for _, p := range parts {
		if p.Kind == Sponsored && max(m.Start, p.Start) < min(m.End, p.End) {
			return true
		}
	}
	return false
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
		if c.Blocks == nil {
			c.Blocks = map[string]PlaceCounts{}
		}
		places := c.Blocks[kind]
		places.add(at, 1)
		c.Blocks[kind] = places
	}
}

// addOffers counts the offers and prices of products.
func (c *CellCounts) addOffers(products []shown) {
	for _, p := range products {
		if c.sources&ByMerchant != 0 {
			for _, merchant := range p.merchants() {
				c.Offers++
				count(&c.Merchants, merchant)
			}
		}
		if c.sources&ByPrice == 0 {
			continue
		}
		for currency, values := range p.prices() {
			c.addPrices(priceKey{p.key, currency}, prices{1, values})
		}
	}
}

func (c *CellCounts) addPrices(key priceKey, more prices) {
	if c.Prices == nil {
		c.Prices = map[priceKey]prices{}
	}
	known := c.Prices[key]
	known.answers += more.answers
	known.values = append(known.values, more.values...)
	c.Prices[key] = known
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
	c.Offers += other.Offers
	merge(&c.Merchants, other.Merchants)
	for key, more := range other.Prices {
		c.addPrices(key, more)
	}
	for kind, more := range other.Blocks {
		if c.Blocks == nil {
			c.Blocks = map[string]PlaceCounts{}
		}
		places := c.Blocks[kind]
		places.merge(more)
		c.Blocks[kind] = places
	}
}
