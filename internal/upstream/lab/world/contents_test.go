package world

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// rate returns a pointer to a rate.
func rate(of float64) *float64 { return &of }

// full returns rates of all contents.
func full() *Rates {
	return &Rates{
		Brands: []BrandRate{
			{Name: "Ollaro", Rate: 0.5, Retrieved: rate(0.6), Cited: rate(0.3), Products: 0.5, Price: 120, Ads: 0.25},
			{Name: "Kestrin", Rate: 0.2, Retrieved: rate(0.2), Cited: rate(1), Products: 0.3, Price: 80, Position: 2},
			{Name: "Tamarek", Rate: 0.3},
		},
		Searches:  &Searches{Rate: 0.7, Counts: []float64{0.5, 0.3, 0, 0, 0, 0.2}, Branded: 0.4},
		Merchants: []Merchant{{"Cartwell", 0.8}, {"Parcel Lane", 0.3}},
		Overview:  rate(0.6), Blocks: map[string]float64{"places": 0.2, "videos": 0.7, "peopleAlsoAsk": 0.5, "discussions": 0.4},
	}
}

// shares counts how often something happens.
type shares map[string][2]int

func (s shares) count(what string, yes bool) {
	c := s[what]
	c[1]++
	if yes {
		c[0]++
	}
	s[what] = c
}

// check fails the test unless each share is within four standard errors of its rate.
func (s shares) check(t *testing.T, rates map[string]float64) {
	t.Helper()
	for what, rate := range rates {
		n := float64(s[what][1])
		if got := float64(s[what][0]) / n; !(math.Abs(got-rate) <= 4*math.Sqrt(rate*(1-rate)/n)) {
			t.Errorf("%s: %.3f of %v, want %.3f", what, got, n, rate)
		}
	}
}

// hasPage reports whether one of the pages belongs to a brand.
func hasPage(pages []Source, brand string) bool {
	return slices.ContainsFunc(pages, func(s Source) bool { return strings.HasPrefix(s.URL, "https://"+slug(brand)+".example/") })
}

// chips returns the pages that the text of an answer cites.
func chips(a *Answer) (pages []Source) {
	for _, block := range a.Blocks {
		for _, span := range slices.Concat(block.Lines...) {
			pages = append(pages, span.Cites...)
		}
	}
	return pages
}

// The contents of answers have the rates of the world, and the text still names the drawn
// brands only.
func TestContentsOfAnswers(t *testing.T) {
	t.Parallel()
	found := shares{}
	for seed := range 1000 {
		q := sampled([]string{"US", "DE", "FR", "ES", "BR", "IT", "NL", "JP"}[seed%8], "garden chairs", "", seed, full())
		a := Compose(q)
		distinct := map[string]bool{}
		for _, text := range a.Queries {
			distinct[strings.ToLower(text)] = true
		}
		found.count("searched", len(distinct) > 0)
		if len(distinct) > 0 {
			found.count("branded", len(brandsIn(strings.Join(a.Queries, " "))) > 0)
			found.count("one search", len(distinct) == 1)
			found.count("six searches", len(distinct) == 6)
			found.count("retrieved", hasPage(a.Sources, "Ollaro"))
		} else if a.Sources != nil {
			t.Fatalf("%d: there are sources without a search", seed)
		}
		if hasPage(a.Sources, "Ollaro") {
			found.count("cited", hasPage(chips(a), "Ollaro"))
		}
		if hasPage(a.Sources, "Kestrin") != hasPage(chips(a), "Kestrin") {
			t.Fatalf("%d: Kestrin is not cited each time it is retrieved", seed)
		}
		text := Markdown(a.Blocks, func(s Span) string { return s.Text })
		if want := slices.Sorted(slices.Values(namesOf(Named(q)))); !slices.Equal(brandsIn(text), want) {
			t.Fatalf("%d: the text names %v, want %v", seed, brandsIn(text), want)
		}
		countProducts(found, a)
		found.count("ad", len(a.Ads) > 0)
		for _, ad := range a.Ads {
			found.count("shopping ad", ad.Price != "")
		}
		if left := braces.FindString(fmt.Sprintf("%+v", *a)); left != "" {
			t.Fatalf("%d: %s is left in the answer", seed, left)
		}
	}
	found.check(t, map[string]float64{
		"searched": 0.7, "branded": 0.4, "one search": 0.5, "six searches": 0.2, "retrieved": 0.6, "cited": 0.3, "ad": 0.25, "shopping ad": 0.3,
		"Ollaro": 0.5, "Kestrin": 0.3, "Tamarek": 0, "Ollaro first": 0.92, "Cartwell": 0.8, "Parcel Lane": 0.3, "its maker": 0.2 * 0.7,
	})
}

// countProducts counts brands with products, their order and their merchants.
func countProducts(found shares, a *Answer) {
	var titles []string
	for _, card := range a.Cards {
		for _, p := range card.Products {
			brand, _, _ := strings.Cut(p.Title, " ")
			titles = append(titles, brand)
			for _, merchant := range []string{"Cartwell", "Parcel Lane"} {
				found.count(merchant, slices.ContainsFunc(p.Offers, func(o Offer) bool { return o.Merchant == merchant }))
			}
			found.count("its maker", p.Merchant == brand)
		}
	}
	for _, brand := range []string{"Ollaro", "Kestrin", "Tamarek"} {
		found.count(brand, slices.Contains(titles, brand))
	}
	if len(titles) == 2 {
		found.count("Ollaro first", titles[0] == "Ollaro")
	}
}

// The contents of search pages have the rates of the world.
func TestContentsOfSearchPages(t *testing.T) {
	t.Parallel()
	found := shares{}
	for seed := range 1000 {
		q := sampled([]string{"US", "DE", "JP"}[seed%3], "garden chairs", "", seed, full())
		page := Find(Search{Question: q})
		found.count("overview", page.Overview != nil)
		found.count("places", page.Places != nil)
		found.count("videos", page.Videos != nil)
		found.count("peopleAlsoAsk", page.Asked != nil)
		found.count("discussions", page.Threads != nil)
		found.count("ad", len(page.TopAds)+len(page.BottomAds)+len(page.Products) > 0)
		found.count("shopping ad", len(page.Products) > 0)
		found.count("product", len(page.Cards) > 0)
		if page.Overview != nil {
			found.count("retrieved", hasPage(page.Overview.Sources, "Ollaro"))
		}
		named := brandsIn(fmt.Sprint(page.Threads, page.Asked, page.Videos, page.Places))
		if left := braces.FindString(fmt.Sprintf("%+v", *page)); left != "" || named != nil {
			t.Fatalf("%d: blocks name %v, and %q is left in the page", seed, named, left)
		}
		if more := Find(Search{Question: q, Start: PageSize}); more.Cards != nil || more.Products != nil || more.TopAds != nil || more.Videos != nil {
			t.Fatalf("%d: the second page has more than results", seed)
		}
	}
	found.check(t, map[string]float64{
		"overview": 0.6, "places": 0.2, "videos": 0.7, "peopleAlsoAsk": 0.5, "discussions": 0.4, "ad": 0.25, "shopping ad": 0.25 * 0.3,
		"product": 1 - 0.5*0.7, "retrieved": 0.6,
	})
}

// Shifts and noise change the contents of a day.
func TestContentsOfDays(t *testing.T) {
	t.Parallel()
	rates := full()
	rates.PriceNoise = 0.1
	rates.Shifts = []Shift{
		{Day: "2026-11-20", Brand: "Ollaro", Rate: 0, Of: "retrieved"},
		{Day: "2026-11-20", Brand: "Ollaro", Rate: 1, Of: "products"},
		{Day: "2026-11-20", Brand: "Kestrin", Rate: 1, Of: "ads"},
		{Day: "2026-11-20", Brand: "Ollaro", Rate: 2, Of: "price"},
	}
	price := func(day string, seed int) float64 {
		s := newSampler(sampled("US", "tea", day, seed, rates))
		return s.price(&rates.Brands[0], "Cartwell")
	}
	if price("", 1) != 120 || price("2026-11-18", 1) == price("2026-11-19", 1) || price("2026-11-18", 1) != price("2026-11-18", 2) {
		t.Errorf("prices are %v without a day, %v and %v on two days", price("", 1), price("2026-11-18", 1), price("2026-11-19", 1))
	}
	if after := price("2026-11-20", 1); after < 160 || after > 360 {
		t.Errorf("the price is %v after it has doubled", after)
	}
	before, after := shares{}, shares{}
	for seed := range 100 {
		for day, found := range map[string]shares{"2026-11-19": before, "2026-11-20": after} {
			drawn := Draw(sampled("US", "tea", day, seed, rates))
			found.count("retrieved", slices.Contains(drawn.Retrieved, &rates.Brands[0]))
			found.count("product", slices.Contains(drawn.Products, &rates.Brands[0]))
			found.count("ad", slices.Contains(drawn.Ads, &rates.Brands[1]))
		}
	}
	before.check(t, map[string]float64{"retrieved": 0.6, "product": 0.5, "ad": 0})
	after.check(t, map[string]float64{"retrieved": 0, "product": 1, "ad": 1})
}
