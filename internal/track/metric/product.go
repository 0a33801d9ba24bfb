package metric

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"earshot/internal/stats"
	"earshot/internal/track/mention"
)

// TextKey returns the form in which searches and other short texts are compared: case-folded,
// with single spaces and none at the ends. It is empty for a text without a visible character.
func TextKey(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(text)), " ")
}

// distinctSearches returns the number of different searches. Empty ones do not count.
func distinctSearches(searches []string) int {
	var seen []string
	for _, search := range searches {
		if key := TextKey(search); key != "" && !slices.Contains(seen, key) {
			seen = append(seen, key)
		}
	}
	return len(seen)
}

// Key identifies a product over answers: by its id, or by its folded title if it has no id.
func (p *Product) Key() string {
	if p.ID != "" {
		return "id:" + p.ID
	}
	return "title:" + mention.Fold(p.Title)
}

// MerchantKey identifies a merchant by domain, or by folded name if the domain is unknown. It
// is empty if both are unknown.
func MerchantKey(name, domain string) string {
	if domain != "" {
		return "domain:" + strings.ToLower(domain)
	}
	if folded := mention.Fold(name); folded != "" {
		return "name:" + folded
	}
	return ""
}

// Of reports whether a product belongs to a brand: its title names the brand, or its page or
// its merchant is on the brand's domains.
func (p *Product) Of(b *PanelBrand) bool { return p.owner().is(b) }

func (p *Product) owner() owner { return newOwner(p.Named, p.URL, p.Domain) }

// Of reports whether an ad belongs to a brand.
func (a *Ad) Of(b *PanelBrand) bool { return a.owner().is(b) }

func (a *Ad) owner() owner { return newOwner(a.Named, a.URL, a.Domain) }

// owner identifies the brands that a product or an ad belongs to. Its hosts are read once,
// because a panel may have many brands.
type owner struct {
	named          []string // brands
	page, merchant string   // hosts; empty if unknown
}

func newOwner(named []string, address, domain string) owner {
	o := owner{named: named, merchant: domain}
	if parsed, err := url.Parse(address); err == nil {
		o.page = parsed.Hostname()
	}
	return o
}

func (o owner) is(b *PanelBrand) bool {
	return slices.Contains(o.named, b.Name) || o.page != "" && Citation{Host: o.page}.on(*b) || o.merchant != "" && Citation{Host: o.merchant}.on(*b)
}

// adOwners returns the owners of ads.
func adOwners(ads []Ad) []owner {
	owners := make([]owner, len(ads))
	for i := range ads {
		owners[i] = ads[i].owner()
	}
	return owners
}

// ShownProduct is a product of an answer with all of its entries.
type ShownProduct struct {
	Key     string
	Entries []*Product
	owners  []owner // of the entries
}

// ShownProducts returns the different products of an answer in the order of their positions.
func ShownProducts(products []Product) []ShownProduct {
	ordered := make([]*Product, len(products))
	for i := range products {
		ordered[i] = &products[i]
	}
	slices.SortStableFunc(ordered, func(a, b *Product) int { return a.Position - b.Position })
	var all []ShownProduct
	for _, p := range ordered {
		key := p.Key()
		at := slices.IndexFunc(all, func(s ShownProduct) bool { return s.Key == key })
		if at < 0 {
			at = len(all)
			all = append(all, ShownProduct{Key: key})
		}
		all[at].Entries, all[at].owners = append(all[at].Entries, p), append(all[at].owners, p.owner())
	}
	return all
}

// firstProduct returns the place of the first product of a brand from 1 on, or 0.
func firstProduct(products []ShownProduct, b *PanelBrand) int {
	return 1 + slices.IndexFunc(products, func(s ShownProduct) bool {
		return slices.ContainsFunc(s.owners, func(o owner) bool { return o.is(b) })
	})
}

// Offers returns all offers of a product: of its own merchant, and the listed ones.
func (s ShownProduct) Offers() []Offer {
	var all []Offer
	for _, p := range s.Entries {
		all = append(all, Offer{Merchant: p.Merchant, Domain: p.Domain, Price: p.Price})
		all = append(all, p.Offers...)
	}
	return all
}

// merchants returns the keys of the merchants that offer a product, each once.
func (s ShownProduct) merchants() []string {
	var keys []string
	for _, o := range s.Offers() {
		if key := MerchantKey(o.Merchant, o.Domain); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Prices returns the prices of a product by currency: the lowest of each merchant, and the
// lowest price without a merchant unless a merchant has it. A price without a merchant that
// equals a merchant's price is the headline of that offer. Offers that are not available have
// no price.
func (s ShownProduct) Prices() map[string][]float64 {
	lowest := map[string]map[string]float64{} // by currency and merchant
	for _, o := range s.Offers() {
		if o.Price == nil || !(o.Price.Value > 0) || o.Price.Currency == "" || o.Available != nil && !*o.Available {
			continue
		}
		merchants := lowest[o.Price.Currency]
		if merchants == nil {
			merchants = map[string]float64{}
			lowest[o.Price.Currency] = merchants
		}
		key := MerchantKey(o.Merchant, o.Domain)
		if known, ok := merchants[key]; !ok || o.Price.Value < known {
			merchants[key] = o.Price.Value
		}
	}
	found := map[string][]float64{}
	for currency, merchants := range lowest {
		for merchant, value := range merchants {
			if merchant != "" {
				found[currency] = append(found[currency], value)
			}
		}
		if headline, ok := merchants[""]; ok && !slices.Contains(found[currency], headline) {
			found[currency] = append(found[currency], headline)
		}
	}
	return found
}

// priceKey identifies the prices of a product in a currency.
type priceKey struct{ product, currency string }

// prices are the prices of a product in a currency.
type prices struct {
	answers int // with a price
	values  []float64
}

// PriceRange is the lowest and the median price.
type PriceRange struct {
	Lowest float64 `json:"lowest"`
	Median float64 `json:"median"`
}

// spread returns the lowest and the median of one or more prices.
func spread(values []float64) PriceRange {
	return PriceRange{Lowest: slices.Min(values), Median: stats.Median(values)}
}

// PricePoint contains the prices of a product in one sweep.
type PricePoint struct {
	Sweep string `json:"sweep"`
	PriceRange
	Offers int `json:"offers"` // number of prices
}
