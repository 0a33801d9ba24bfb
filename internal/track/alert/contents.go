package alert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/stats"
)

const (
	// ContentDays is the number of days that the ads and prices of a sweep are compared with.
	ContentDays = 28
	// fewestSweeps is the minimum number of sweeps in these days.
	fewestSweeps = 14
	// startSweeps is the maximum number of sweeps in which a brand starts to appear in ads.
	startSweeps = 7
)

// Ads counts the answers that report ads, and how many of them show an ad of a brand.
type Ads struct{ Answers, Shown int }

// StartsAds reports whether a brand started to appear in ads with one of the last sweeps, and
// counts its ads since then. All sweeps before have none, and so many answers since then have one
// that this happens by chance with a probability of at most p. It is reported once, with the
// first sweep for which it is true.
func StartsAds(sweeps []Ads, p float64) (since Ads, started bool) {
	first := slices.IndexFunc(sweeps, func(a Ads) bool { return a.Shown > 0 })
	if first < fewestSweeps || len(sweeps)-first > startSweeps {
		return Ads{}, false
	}
	before := 0
	for _, a := range sweeps[:first] {
		before += a.Answers
	}
	for i, a := range sweeps[first:] {
		since = Ads{since.Answers + a.Answers, since.Shown + a.Shown}
		if stats.AllInPart(since.Shown, since.Answers, before) <= p {
			return since, first+i == len(sweeps)-1
		}
	}
	return since, false
}

// AdSummary returns the summary of an alert about a brand that starts to appear in ads.
func AdSummary(brand, target string, sweep Ads) string {
	return fmt.Sprintf("%s started to appear in ads on %s: in %d of %d answers, after none in %d days.", brand, target, sweep.Shown, sweep.Answers, ContentDays)
}

// Price is the price of a product on a target, by sweep.
type Price struct {
	Title, Currency, Target string
	Sweeps                  []float64 // median prices, in the order of the sweeps
}

// EnoughPrices reports whether there are enough sweeps to decide if the price left its range.
func (c *Price) EnoughPrices() bool { return len(c.Sweeps) > fewestSweeps }

// LeftRange returns the number of last sweeps in which the price was always above or always below
// all earlier prices. It returns 0 if these are so few that this happens by chance with a
// probability above p.
func (c *Price) LeftRange(p float64) int {
	for last := 1; len(c.Sweeps)-last >= fewestSweeps; last++ {
		if needed, ok := stats.OutsideRange(len(c.Sweeps)-last, p); !ok || needed > last {
			continue
		}
		if stats.LeftRange(c.Sweeps, last) {
			return last
		}
		return 0
	}
	return 0
}

// PriceSummary returns the summary of an alert about a price that left its range with the last
// sweeps.
func PriceSummary(c *Price, last int) string {
	before := c.Sweeps[:len(c.Sweeps)-last]
	return fmt.Sprintf("The price of %s on %s left the range of the last %d days: %.2f %s, before %.2f to %.2f %s.",
		c.Title, c.Target, ContentDays, c.Sweeps[len(c.Sweeps)-1], c.Currency, slices.Min(before), slices.Max(before), c.Currency)
}

// Page counts the answers of two windows that retrieved a page, and how many of them cite it.
type Page struct {
	URL               string
	Read, Cited       int // in the earlier window
	ReadNow, CitedNow int // in the later window
}

// Uncited returns the pages that are still retrieved but no longer cited, at a false discovery
// rate. The most cited pages come first.
func Uncited(pages []Page, rate float64) (found []Page) {
	pages = slices.DeleteFunc(slices.Clone(pages), func(p Page) bool { return p.Cited < FewestCitations || p.ReadNow == 0 })
	p := make([]float64, len(pages))
	for i, page := range pages {
		p[i] = 1
		if page.CitedNow == 0 {
			p[i] = stats.AllInPart(page.Cited, page.Read, page.ReadNow)
		}
	}
	for i, isFound := range stats.Discoveries(p, rate) {
		if isFound && pages[i].CitedNow == 0 {
			found = append(found, pages[i])
		}
	}
	slices.SortFunc(found, func(a, b Page) int { return cmp.Or(b.Cited-a.Cited, cmp.Compare(a.URL, b.URL)) })
	return found[:min(len(found), maxSources)]
}

// PageSummary returns the summary of an alert about pages that are no longer cited.
func PageSummary(pages []Page) string {
	texts := make([]string, len(pages))
	for i, p := range pages {
		texts[i] = fmt.Sprintf("%s (cited in %d of %d answers before, now in none of %d)", p.URL, p.Cited, p.Read, p.ReadNow)
	}
	return "Retrieved but no longer cited: " + strings.Join(texts, ", ") + "."
}
