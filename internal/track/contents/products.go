package contents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/track/answers"
	"earshot/internal/track/metric"
)

// maxMerchants is the largest number of merchants of a report and of a row.
const maxMerchants = 100

// Products returns the products that answers show, the most frequent first. It returns
// store.ErrNotFound if the tracker does not exist.
func (l *Lister) Products(ctx context.Context, organization, name string, q *earshot.ContentQuery) (*earshot.ProductReport, error) {
	all := map[string]*product{} // by key
	h, head, err := l.list(ctx, organization, name, q, metric.FieldProducts, func(h *history, a answers.Finding) { addProducts(all, h.panel, a) })
	if err != nil {
		return nil, err
	}
	var found []*product
	merchants := merchantCounts{}
	text := metric.TextKey(q.Text)
	for _, p := range all {
		p.title = stats.Mode(p.titles)
		if strings.Contains(metric.TextKey(p.title), text) && (q.Brand == "" || p.brands[q.Brand]) {
			found = append(found, p)
			merchants.merge(p.merchants)
		}
	}
	slices.SortFunc(found, func(a, b *product) int {
		return cmp.Or(cmp.Compare(b.answers, a.answers), cmp.Compare(stats.Median(a.ranks), stats.Median(b.ranks)), cmp.Compare(a.key, b.key))
	})
	report := &earshot.ProductReport{Merchants: merchants.view()}
	for _, p := range page(&head, found, q) {
		report.Rows = append(report.Rows, p.row(h, head.Answers))
	}
	report.ContentHead = head
	return report, nil
}

// product contains the counts of one product.
type product struct {
	seen
	key, title, url string
	titles          map[string]int
	brands          map[string]bool
	ranks           []float64
	merchants       merchantCounts
	prices          map[string]*prices // by currency
}

// prices contains the prices of a product in one currency.
type prices struct {
	answers int
	bySweep map[string][]float64
}

// addProducts counts the products of an answer. The newest answers must come first.
func addProducts(all map[string]*product, owners *panel, a answers.Finding) {
	for i, s := range metric.ShownProducts(a.Found.Products) {
		p := all[s.Key]
		if p == nil {
			p = &product{key: s.Key, titles: map[string]int{}, brands: map[string]bool{}, merchants: merchantCounts{}, prices: map[string]*prices{}}
			all[s.Key] = p
		}
		p.add(a.Answer)
		p.ranks = append(p.ranks, float64(i+1))
		p.titles[spaced(s.Entries[0].Title)]++
		for _, entry := range s.Entries {
			p.url = cmp.Or(p.url, entry.URL)
			for _, brand := range owners.owners(entry.Of) {
				p.brands[brand] = true
			}
		}
		p.merchants.add(s.Offers())
		for currency, values := range s.Prices() {
			if p.prices[currency] == nil {
				p.prices[currency] = &prices{bySweep: map[string][]float64{}}
			}
			p.prices[currency].answers++
			p.prices[currency].bySweep[a.Sweep] = append(p.prices[currency].bySweep[a.Sweep], values...)
		}
	}
}

func (p *product) row(h *history, answers int) earshot.ProductRow {
	row := earshot.ProductRow{
		Product: p.key, Title: p.title, URL: p.url, Brands: h.order(p.brands), Seen: p.view(h.names),
		Share: float64(p.answers) / float64(answers), MedianRank: stats.Median(p.ranks), Merchants: p.merchants.view(),
	}
	for _, currency := range slices.Sorted(maps.Keys(p.prices)) {
		row.Prices = append(row.Prices, p.prices[currency].view(h, currency))
	}
	return row
}

func (p *prices) view(h *history, currency string) earshot.ProductPrice {
	view := earshot.ProductPrice{Currency: currency, PriceRange: rangeOf(slices.Concat(slices.Collect(maps.Values(p.bySweep))...)), Answers: p.answers}
	for _, sweep := range h.closed { // by due time
		if values := p.bySweep[sweep.ID]; values != nil {
			view.Points = append(view.Points, earshot.PricePoint{Sweep: sweep.ID, At: earshot.Timestamp{Time: sweep.DueAt}, PriceRange: rangeOf(values)})
		}
	}
	return view
}

func rangeOf(values []float64) earshot.PriceRange {
	return earshot.PriceRange{Median: stats.Median(values), Lowest: slices.Min(values), Offers: len(values)}
}

// merchantCounts contains the offers of merchants by key.
type merchantCounts map[string]*merchant

type merchant struct {
	names  map[string]int
	domain string
	offers int
}

// add counts the offers of a product in an answer. A merchant counts once.
func (m merchantCounts) add(offers []metric.Offer) {
	counted := map[string]bool{}
	for _, o := range offers {
		key := metric.MerchantKey(o.Merchant, o.Domain)
		if key == "" || counted[key] {
			continue
		}
		counted[key] = true
		m.merge(merchantCounts{key: {names: map[string]int{spaced(o.Merchant): 1}, domain: strings.ToLower(o.Domain), offers: 1}})
	}
}

// merge adds the offers of other.
func (m merchantCounts) merge(other merchantCounts) {
	for key, more := range other {
		if m[key] == nil {
			m[key] = &merchant{names: map[string]int{}, domain: more.domain}
		}
		m[key].offers += more.offers
		for name, n := range more.names {
			m[key].names[name] += n
		}
	}
}

// view returns the merchants with the most offers.
func (m merchantCounts) view() (view []earshot.MerchantOffers) {
	all := 0
	for key, one := range m {
		all += one.offers
		view = append(view, earshot.MerchantOffers{Merchant: key, Name: stats.Mode(one.names), Domain: one.domain, Offers: one.offers})
	}
	for i := range view {
		view[i].Share = float64(view[i].Offers) / float64(all)
	}
	slices.SortFunc(view, func(a, b earshot.MerchantOffers) int {
		return cmp.Or(cmp.Compare(b.Offers, a.Offers), cmp.Compare(a.Merchant, b.Merchant))
	})
	return view[:min(len(view), maxMerchants)]
}
