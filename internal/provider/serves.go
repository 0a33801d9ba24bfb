package provider

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Coverage says what a vendor can serve of a provider. Questions for anything else are not sent.
type Coverage struct {
	Price  upstream.Price // list prices
	Fields Fields         // that results can have
	Takes  Takes
	Except string // codes of the countries that it does not serve, separated by spaces
	// Language returns the vendor's code for the language of a locale, "" if the vendor does not know
	// the language. Nil means that every language can be named.
	Language   func(geo.Locale) string
	Prompt     int    // the most characters of a text; 0 means no known limit
	Pages      int    // the most result pages
	Skip       int    // the results to skip must be a multiple of this; 0 means that none can be skipped
	Parameters string // search parameters that are passed on, separated by spaces
}

// Takes is a set of what requests may ask for.
type Takes uint

// The parts of requests that not every vendor can serve.
const (
	TakesState Takes = 1 << iota
	TakesLocation
	TakesUULE
	TakesMobile  // the device mobile
	TakesSystems // the devices ios and android
	TakesNoSearch
	TakesLegacy
	TakesHTML
	TakesRawResponse
	TakesSearchQueries
	TakesShopping
	TakesAds
	TakesExpand
	TakesOverview
	TakesQuestionOverviews
)

// Has reports whether the set contains all of the others.
func (t Takes) Has(others Takes) bool { return t&others == others }

// Uncovered is the error of a request that a vendor cannot serve.
type Uncovered struct {
	Field string // of the request, or "provider"
	Why   string // what is wrong with the field, such as "is not supported"
}

func (u *Uncovered) Error() string { return u.Field + " " + u.Why }

// Covers returns *Uncovered if the vendor cannot answer a question.
func (d VendorDefinition) Covers(q *Question) error {
	served, ok := d.Serves[q.Provider]
	if !ok {
		return &Uncovered{"provider", "is not supported"}
	}
	if field, why := served.check(q); field != "" {
		return &Uncovered{field, why}
	}
	return nil
}

// check returns the first field of a question that cannot be served, and why.
func (c Coverage) check(q *Question) (field, why string) {
	for _, part := range []struct {
		asked bool
		needs Takes
		field string
	}{
		{q.Locale.State != "", TakesState, "state"},
		{q.Location != "" && !c.Takes.Has(TakesUULE), TakesLocation, "location"},
		{q.Location == "" && q.UULE != "", TakesUULE, "uule"},
		{q.Device == earshot.Mobile, TakesMobile, "device"},
		{q.Device == earshot.IOS || q.Device == earshot.Android, TakesSystems, "device"},
		{q.NoSearch, TakesNoSearch, "disableWebSearch"},
		{q.Legacy, TakesLegacy, "legacy"},
		{q.HTML, TakesHTML, "include.html"},
		{q.RawResponse, TakesRawResponse, "include.rawResponse"},
		{q.SearchQueries, TakesSearchQueries, "include.searchQueries"},
		{q.Shopping, TakesShopping, "include.shopping"},
		{q.Ads, TakesAds, "include.ads"},
		{q.Expand, TakesExpand, "include.expandProducts"},
		{q.Overview, TakesOverview, "include.searchoverview"},
		{q.QuestionOverviews, TakesQuestionOverviews, "include.paaSearchoverview"},
		{q.First > 0 && (c.Skip == 0 || q.First%c.Skip != 0), 0, "url"},
	} {
		if part.asked && (part.needs == 0 || !c.Takes.Has(part.needs)) {
			return part.field, "is not supported"
		}
	}
	if strings.Contains(c.Except, q.Locale.Country) {
		return "country", q.Locale.Country + " is not supported"
	}
	if language := q.Locale.Language; language != "" && c.Language != nil && c.Language(q.Locale) == "" {
		return "hl", language + " is not supported"
	}
	if n := utf8.RuneCountInString(q.Text); c.Prompt > 0 && n > c.Prompt {
		field = "prompt"
		if q.IsSearch() {
			field = "query"
		}
		return field, fmt.Sprintf("has %d characters, at most %d are supported", n, c.Prompt)
	}
	if most := max(1, c.Pages); q.Pages > most {
		return "pages", fmt.Sprintf("must be at most %d", most)
	}
	for name := range q.Extra {
		if name != "tbm" && name != "udm" && !slices.Contains(strings.Fields(c.Parameters), name) { // those two name the provider
			return "url", "has the parameter " + name + ", which is not supported"
		}
	}
	return "", ""
}

// OptionUnit is the option with the operator's price of one unit in USD, see VendorDefinition.Unit.
const OptionUnit = "unit"

// Price returns the price of a provider with the operator's options.
func (d VendorDefinition) Price(provider string, options map[string]string) upstream.Price {
	price := d.Serves[provider].Price
	if unit := UnitPrice(options[OptionUnit], d.Unit); d.Unit > 0 && unit != d.Unit {
		for _, part := range []*upstream.USD{&price.Request, &price.Page, &price.Overview, &price.Extras} {
			*part = upstream.USD(math.Ceil(float64(*part) / float64(d.Unit) * float64(unit)))
		}
	}
	if d.Adjust != nil {
		price = d.Adjust(price, provider, options)
	}
	return price
}

// UnitPrice returns the price in an operator's option, rounded up, or the list price if the
// option is empty.
func UnitPrice(option string, list upstream.USD) upstream.USD {
	unit, err := strconv.ParseFloat(option, 64)
	if err != nil || unit < 0 {
		return list
	}
	exact := unit * 1e9
	if whole := math.Round(exact); math.Abs(exact-whole) < 1e-3 {
		return upstream.USD(whole)
	}
	return upstream.USD(math.Ceil(exact))
}
