package analysis

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/source"
)

// Question is the question that a result answers.
type Question struct {
	Text string // prompt or search query
	Reports
}

// Reports says which contents the results of a request report. In the zero value all fields are
// reported.
type Reports struct {
	// Unreported are the fields that results do not report, with the reason. An analysis
	// leaves them out even if they are in the result.
	Unreported metric.Unreported `json:"untold,omitempty"`
	// Inline is true if the cited pages are not listed as citation pills, so that the links
	// and numbers in the text are the citations.
	Inline bool `json:"inline,omitempty"`
}

// pill, product, offer and ad are parts of results with the fields that are analysed.
type (
	pill struct {
		URL string `json:"url"`
	}
	card struct {
		Products []product `json:"products"`
	}
	product struct {
		Position int     `json:"position"`
		Title    string  `json:"title"`
		ID       string  `json:"id"`
		URL      string  `json:"url"`
		Merchant string  `json:"merchant"`
		Price    *price  `json:"price"`
		Offers   []offer `json:"offers"`
	}
	offer struct {
		Merchant  string `json:"merchant"`
		URL       string `json:"url"`
		Price     *price `json:"price"`
		Available *bool  `json:"available"`
	}
	price struct {
		Value    *float64 `json:"value"`
		Currency string   `json:"currency"`
	}
	ad struct {
		Block       string `json:"block"`
		Title       string `json:"title"`
		URL         string `json:"url"`
		Description string `json:"description"`
		Brand       string `json:"brand"`
	}
)

// contents adds the parts of a result besides its text. It must follow cite.
//
// It never sets Parts: the parsers keep ads and sponsored entries of an answer out of its text and
// its sources.
func (l *analyser) contents(r *result) {
	c := &l.found.Contents
	c.Via = r.Via
	if len(l.Unreported) > 0 { // like Decode, which returns nil for none
		c.Unreported = l.Unreported
	}
	shown := []*prose{&r.prose}
	if r.SearchOverview != nil {
		shown = append(shown, r.SearchOverview)
	}
	if l.reports(metric.FieldSearches) {
		c.Searches = []string{}
		for _, a := range shown {
			c.Searches = append(append(c.Searches, a.SearchQueries...), a.MapSearchQueries...)
		}
	}
	if l.reports(metric.FieldProducts) {
		c.Products = []metric.Product{}
		for _, a := range shown {
			l.products(a)
		}
	}
	if l.reports(metric.FieldAds) {
		c.Ads = []metric.Ad{}
		for _, a := range shown {
			l.ads(a.Ads)
		}
	}
	if l.reports(metric.FieldLayout) && r.results() != nil {
		c.Layout = append([]metric.Block{}, r.Layout...)
	}
}

// reports reports whether results of the request report a field.
func (l *analyser) reports(field metric.Field) bool { return l.Unreported[field] == "" }

// leaveOut makes a field unreported for this result.
func (l *analyser) leaveOut(field metric.Field, reason metric.Reason) {
	if !l.reports(field) {
		return
	}
	unreported := metric.Unreported{field: reason} // other results share the map of the question
	maps.Copy(unreported, l.Unreported)
	l.Unreported = unreported
}

// citations returns the addresses that an answer cites: its pills, or the links and the numbers
// of its text if results have no pills.
func (l *analyser) citations(a *prose, text string, links []mention.Link) (addresses []string) {
	for _, p := range a.CitationPills {
		addresses = append(addresses, p.URL)
	}
	if !l.Inline || len(addresses) > 0 {
		return addresses
	}
	for _, link := range links {
		addresses = append(addresses, link.URL)
	}
	for _, at := range numbered.FindAllStringSubmatchIndex(text, -1) {
		if end := at[1]; end < len(text) && (text[end] == '(' || text[end] == ']') {
			continue // the text of a link
		}
		if n, err := strconv.Atoi(text[at[2]:at[3]]); err == nil && n >= 1 && n <= len(a.Sources) {
			addresses = append(addresses, a.Sources[n-1].URL)
		}
	}
	return addresses
}

// numbered matches the number of a source in a text, such as [3].
var numbered = regexp.MustCompile(`\[(\d{1,3})\]`)

// products adds the products of an answer or a page by position. The products of
// ProductResults, which are numbered on their own, follow.
func (l *analyser) products(a *prose) {
	var all []product
	for _, card := range a.ShoppingCards {
		all = append(all, card.Products...)
	}
	all = append(all, a.InlineProducts...)
	slices.SortStableFunc(all, func(a, b product) int { return cmp.Compare(a.Position, b.Position) })
	for _, p := range append(all, a.ProductResults...) {
		shown := metric.Product{
			Position: len(l.found.Products) + 1, Title: p.Title, ID: p.ID, URL: p.URL, Merchant: p.Merchant, Domain: merchantDomain(p.URL), Price: p.Price.metric(),
			Named: l.NamedIn(p.Title),
		}
		for _, o := range p.Offers {
			shown.Offers = append(shown.Offers, metric.Offer{Merchant: o.Merchant, Domain: merchantDomain(o.URL), Price: o.Price.metric(), Available: o.Available})
		}
		l.found.Products = append(l.found.Products, shown)
	}
}

// metric returns the price as metrics count it, or nil if it has no number.
func (p *price) metric() *metric.Price {
	if p == nil || p.Value == nil {
		return nil
	}
	return &metric.Price{Value: *p.Value, Currency: p.Currency}
}

func (l *analyser) ads(all []ad) {
	for _, a := range all {
		_, domain := siteOf(a.URL)
		l.found.Ads = append(l.found.Ads, metric.Ad{
			Position: len(l.found.Ads) + 1, Title: a.Title, Brand: a.Brand, URL: a.URL, Domain: domain, Named: l.NamedIn(a.Title, a.Brand), Text: a.Description, Block: a.Block,
		})
	}
}

// engines are hosts of assistants and search engines. Their links to products lead to pages of
// their own, not to a merchant.
var engines = map[string]bool{
	"chatgpt.com": true, "openai.com": true, "bing.com": true, "copilot.microsoft.com": true, "perplexity.ai": true, "grok.com": true, "claude.ai": true,
}

// merchantDomain returns the registrable domain of a merchant's page, or "" if the page is an
// engine's own.
func merchantDomain(address string) string {
	host, domain := siteOf(address)
	host = strings.TrimPrefix(strings.TrimPrefix(host, "www."), "shopping.")
	// store.google.com is a merchant, but google.com and google.co.uk are not.
	if engines[host] || host == domain && strings.HasPrefix(host, "google.") {
		return ""
	}
	return domain
}

// siteOf returns the host and the registrable domain of an address, or "". It is faster than
// source.Parse, which returns the whole page.
func siteOf(address string) (host, domain string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	if host, err = source.Host(u.Hostname()); err != nil {
		return "", ""
	}
	return host, source.Domain(host)
}
