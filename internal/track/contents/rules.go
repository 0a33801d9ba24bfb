package contents

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

// missing returns the reason why an answer does not report a field, or "".
func missing(f *analysis.Analysis, field metric.Field) metric.Reason {
	if reason := f.Unreported[field]; reason != "" {
		return reason
	}
	isReported := map[metric.Field]bool{
		metric.FieldSearches: f.Searches != nil, metric.FieldSources: f.Sources != nil, metric.FieldCited: true, // without Cited, Citations count
		metric.FieldProducts: f.Products != nil, metric.FieldAds: f.Ads != nil,
	}
	if isReported[field] {
		return ""
	}
	return metric.NotOffered
}

// cited returns the pages that an answer cites.
func cited(f *analysis.Analysis) []metric.Citation {
	switch {
	case missing(f, metric.FieldCited) != "":
		return nil
	case f.Cited != nil:
		return f.Cited
	default:
		return f.Citations
	}
}

// fold returns the form in which searches and the texts of ads are compared: case-folded, with
// single spaces and none at the ends.
func fold(text string) string { return cases.Fold().String(spaced(text)) }

// spaced returns a text without white space at its ends and with single spaces.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// productKey identifies a product over answers: by its id, or by its folded title if it has no
// id.
func productKey(p *metric.Product) string {
	if p.ID != "" {
		return "id:" + p.ID
	}
	return "title:" + mention.Fold(p.Title)
}

// merchantKey identifies a merchant by domain, or by folded name if the domain is unknown. It
// is empty if both are unknown.
func merchantKey(o metric.Offer) string {
	if o.Domain != "" {
		return "domain:" + strings.ToLower(o.Domain)
	}
	if folded := mention.Fold(o.Merchant); folded != "" {
		return "name:" + folded
	}
	return ""
}

// shownProduct is a product of an answer with all of its entries.
type shownProduct struct {
	key     string
	entries []*metric.Product
}

// shownProducts returns the different products of an answer in the order of their positions.
// The rank of a product is its index plus 1.
func shownProducts(products []metric.Product) (all []shownProduct) {
	ordered := make([]*metric.Product, len(products))
	for i := range products {
		ordered[i] = &products[i]
	}
	slices.SortStableFunc(ordered, func(a, b *metric.Product) int { return a.Position - b.Position })
	for _, p := range ordered {
		key := productKey(p)
		at := slices.IndexFunc(all, func(s shownProduct) bool { return s.key == key })
		if at < 0 {
			at = len(all)
			all = append(all, shownProduct{key: key})
		}
		all[at].entries = append(all[at].entries, p)
	}
	return all
}

// offers returns all offers of a product: of its own merchant, and the listed ones.
func (s shownProduct) offers() (all []metric.Offer) {
	for _, p := range s.entries {
		all = append(all, metric.Offer{Merchant: p.Merchant, Domain: p.Domain, Price: p.Price})
		all = append(all, p.Offers...)
	}
	return all
}

// prices returns the prices of a product by currency: the lowest of each merchant, and the
// lowest price without a merchant. The latter does not count if it equals the price of a
// merchant, because it is the headline of that offer. Offers that are not available have no
// price.
func (s shownProduct) prices() map[string][]float64 {
	lowest := map[string]map[string]float64{} // by currency and merchant
	for _, o := range s.offers() {
		if o.Price == nil || o.Price.Value <= 0 || o.Price.Currency == "" || o.Available != nil && !*o.Available {
			continue
		}
		merchants := lowest[o.Price.Currency]
		if merchants == nil {
			merchants = map[string]float64{}
			lowest[o.Price.Currency] = merchants
		}
		key := merchantKey(o)
		if known, ok := merchants[key]; !ok || o.Price.Value < known {
			merchants[key] = o.Price.Value
		}
	}
	found := map[string][]float64{}
	for currency, merchants := range lowest {
		headline, ok := merchants[""]
		delete(merchants, "")
		for _, value := range merchants {
			found[currency] = append(found[currency], value)
		}
		if ok && !slices.Contains(found[currency], headline) {
			found[currency] = append(found[currency], headline)
		}
	}
	return found
}

// median sorts values and returns their median. There must be at least one value.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
