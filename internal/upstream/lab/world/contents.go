package world

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Drawn are the contents of a sampled answer or search page besides its text. Like Named, it
// is the ground truth for tests.
type Drawn struct {
	Searches int // distinct searches; 0 if the assistant did not search
	// Retrieved and Cited are the brands with a rate Retrieved whose pages an answer with a
	// search retrieves and cites.
	Retrieved, Cited []*BrandRate
	Products         []*BrandRate // brands with a product, in the order of the answer
	Ads              []*BrandRate // brands with an ad, in the order of the answer
	Overview         bool         // a search page has an overview
	Blocks           []string     // further blocks of a search page
}

// usualSearches is the number of searches of an answer if the world does not set it.
const usualSearches = 3

// Draw returns the contents of the answer to a question.
func Draw(q Question) Drawn {
	r := q.Sample.Rates
	drawn := Drawn{Searches: searchesOf(q), Overview: r.Overview == nil || q.happens("overview", *r.Overview)}
	for i := range r.Brands {
		b := &r.Brands[i]
		retrieved, cited := page(q, b)
		if retrieved {
			drawn.Retrieved = append(drawn.Retrieved, b)
		}
		if cited {
			drawn.Cited = append(drawn.Cited, b)
		}
	}
	drawn.Products = shown(q, ofProducts, func(b *BrandRate) float64 { return b.Products })
	drawn.Ads = shown(q, ofAds, func(b *BrandRate) float64 { return b.Ads })
	for _, kind := range BlockTypes {
		if q.happens("block "+kind, r.Blocks[kind]) {
			drawn.Blocks = append(drawn.Blocks, kind)
		}
	}
	return drawn
}

// happens reports whether a subject is in the answer to the question.
func (q Question) happens(subject string, rate float64) bool {
	return rate > 0 && q.chances(subject).Float64() < q.vary(subject, rate)
}

// searchesOf returns the number of distinct searches of an answer.
func searchesOf(q Question) int {
	s := q.Sample.Rates.Searches
	switch {
	case s == nil:
		return usualSearches
	case !q.happens("searches", s.Rate):
		return 0
	}
	x := q.chances("number of searches").Float64()
	for i, share := range s.Counts {
		if x -= share; x < 0 {
			return i + 1
		}
	}
	return len(s.Counts)
}

// page reports whether an answer with a search retrieves and cites a page of a brand that has
// a rate Retrieved.
func page(q Question, b *BrandRate) (retrieved, cited bool) {
	if b.Retrieved == nil {
		return false, false
	}
	subject := ofRetrieved + " " + b.Name
	d := q.chances(subject)
	retrieved = d.Float64() < q.vary(subject, q.Sample.Rates.on(q.Sample.Day, b, ofRetrieved, *b.Retrieved))
	return retrieved, retrieved && d.Float64() < b.cited()
}

// shown returns the brands with a product or an ad, in an order that depends on their
// positions.
func shown(q Question, of string, rate func(*BrandRate) float64) (brands []*BrandRate) {
	places := map[*BrandRate]float64{}
	for i := range q.Sample.Rates.Brands {
		b := &q.Sample.Rates.Brands[i]
		subject := of + " " + b.Name
		if q.happens(subject, q.Sample.Rates.on(q.Sample.Day, b, of, rate(b))) {
			brands = append(brands, b)
			places[b] = b.Position + q.chances("place of "+subject).NormFloat64()
		}
	}
	slices.SortStableFunc(brands, func(a, b *BrandRate) int { return cmp.Compare(places[a], places[b]) })
	return brands
}

// searches returns the texts of the searches. Some answers repeat a search in capital letters,
// which is not another search.
func (s *sampler) searches() []string {
	rates := s.q.Sample.Rates.Searches
	if rates == nil {
		return s.several(fitting(s.book.Queries, 0), usualSearches)
	}
	plain := slices.Concat(fitting(s.book.Queries, 0), fitting(s.book.Search.Searches, 0))
	slices.Sort(plain)
	texts := s.several(slices.Compact(plain), s.drawn.Searches)
	if s.Float64() < rates.Branded {
		for _, phrase := range s.book.Queries {
			if strings.Contains(phrase, "{brand}") && !strings.Contains(phrase, "{other}") {
				texts[0] = strings.ReplaceAll(phrase, "{brand}", pick(s.dice, s.q.Sample.Rates.Brands).Name)
			}
		}
	}
	if s.chance(10) {
		texts = append(texts, strings.ToUpper(texts[0]))
	}
	return texts
}

// retrieve adds the retrieved pages of brands that have a rate Retrieved. Title and site do
// not name the brand, because the text may cite the page without naming the brand.
func (s *sampler) retrieve(a *Answer) {
	for _, b := range s.drawn.Retrieved {
		page := Source{
			URL:   "https://" + b.domain() + "/" + pick(s.dice, ownPages),
			Title: s.one(fitting(s.book.Titles, 0)), Site: "Official site", Snippet: s.about(b),
		}
		a.Sources = append(a.Sources, page)
		if slices.Contains(s.drawn.Cited, b) {
			s.pages[b] = page
		} else {
			s.unused[page.URL] = true
		}
	}
}

// cited appends a chip with sources to the line, but not with pages that are only retrieved.
func (s *sampler) cited(a *Answer, line Line) Line {
	used := slices.DeleteFunc(slices.Clone(a.Sources), func(source Source) bool { return s.unused[source.URL] })
	return s.composer.cited(&Answer{Sources: used}, line)
}

// citedAlone appends a chip with the cited pages of brands that the answer does not name.
func (s *sampler) citedAlone(line Line) Line {
	var pages []Source
	for _, b := range s.drawn.Cited {
		page, found := s.pages[b]
		if found && !slices.ContainsFunc(s.mentions, func(m Mention) bool { return m.BrandRate == b }) {
			pages = append(pages, page)
		}
	}
	if pages == nil {
		return line
	}
	return append(line, Span{Text: " "}, Span{Cites: pages})
}

// shop adds the products and ads of an answer.
func (s *sampler) shop(a *Answer) {
	if products := s.products(); products != nil {
		a.Cards = []Card{{Title: s.book.Card[0], Products: products}}
	}
	for _, b := range s.drawn.Ads {
		ad := s.ad(b)
		if s.chance(shoppingAds) {
			p := s.product(b)
			ad.Title, ad.URL, ad.Price, ad.Merchant, ad.Image = p.Title, p.URL, p.Price, p.Merchant, p.Images[0]
		}
		a.Ads = append(a.Ads, ad)
	}
}

// shoppingAds is the percentage of ads that show a product.
const shoppingAds = 30

func (s *sampler) ad(b *BrandRate) Ad {
	return Ad{
		Title: strings.ReplaceAll(pick(s.dice, s.book.AdTitle), "{brand}", b.Name),
		URL:   "https://" + b.domain() + "/offer", Description: s.one(s.book.AdText), Brand: b.Name,
	}
}

func (s *sampler) products() (products []Product) {
	for _, b := range s.drawn.Products {
		products = append(products, s.product(b))
	}
	return products
}

// product returns the product of a brand with its offers, the cheapest first. A brand always
// has the same product.
func (s *sampler) product(b *BrandRate) Product {
	d := seeded("product", b.Name)
	p := Product{
		ID: fmt.Sprintf("prd-%d", d.between(10000, 99999)), Title: b.Name + " " + pick(d, models),
		Description: s.one(s.book.Summary), Rating: s.rating(4800),
	}
	p.Images = []string{"https://images.example/products/" + slug(p.Title) + ".jpg"}
	prices := map[string]float64{}
	offer := func(merchant, host string) {
		prices[merchant] = s.price(b, merchant)
		p.Offers = append(p.Offers, Offer{
			Merchant: merchant, URL: "https://" + host + "/p/" + slug(p.Title), Price: s.purse.write(prices[merchant]),
			Shipping: s.book.Shipping[0], Condition: s.book.New, Available: true,
		})
	}
	chances := s.q.chances("offers of " + b.Name)
	for _, m := range s.q.Sample.Rates.Merchants {
		if chances.Float64() < m.Rate {
			offer(m.Name, outlet{m.Name, slug(m.Name)}.home())
		}
	}
	if p.Offers == nil {
		offer(b.Name, b.domain())
	}
	slices.SortStableFunc(p.Offers, func(a, b Offer) int { return cmp.Compare(prices[a.Merchant], prices[b.Merchant]) })
	p.URL, p.Merchant, p.Price = p.Offers[0].URL, p.Offers[0].Merchant, p.Offers[0].Price
	return p
}

// price returns a merchant's price for the product of a brand, in US dollars.
func (s *sampler) price(b *BrandRate, merchant string) float64 {
	r, day := s.q.Sample.Rates, s.q.Sample.Day
	price := cmp.Or(b.Price, 100) * r.on(day, b, ofPrice, 1)
	if day != "" {
		price *= math.Exp(r.PriceNoise * seeded("price", b.Name, merchant, day).NormFloat64())
	}
	return price
}

// more adds products, ads and further blocks to the first page of a search. Only products and
// ads name brands.
func (s *sampler) more(found *Findings) {
	if products := s.products(); products != nil {
		found.Cards = []Card{{Title: found.Labels.Products, Products: products}}
	}
	for _, b := range s.drawn.Ads {
		switch ad := (SearchAd{Ad: s.ad(b)}); {
		case s.chance(shoppingAds):
			found.Products = append(found.Products, s.product(b))
		case s.chance(50):
			found.TopAds = append(found.TopAds, ad)
		default:
			found.BottomAds = append(found.BottomAds, ad)
		}
	}
	for _, kind := range s.drawn.Blocks {
		switch kind {
		case "discussions":
			found.Threads = s.threads(s.several(fitting(s.book.Search.Threads, 0), 2))
		case "peopleAlsoAsk":
			for i, question := range s.several(fitting(s.book.Search.Questions, 0), 3) {
				page := s.otherResult(sampledResults + i).Source
				found.Asked = append(found.Asked, Asked{Question: question, Page: &page})
			}
		case "places":
			found.Places = s.places()
		case "videos":
			found.Videos = s.videos(fitting(s.book.Titles, 0), 2)
		}
	}
}
