// Package agreement compares results for the same request, and summarizes many such
// comparisons. It fetches and stores nothing.
//
//	compare.go  how much two results agree
//	report.go   the agreement of upstreams over many pairs of results
package agreement

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Figures is how much two results agree, from 0 to 1. A figure is nil if neither result has
// anything to compare.
type Figures struct {
	Domains *float64 // Jaccard index of the registrable domains that are cited
	Organic *float64 // share of the first ten organic results, or news, that both have
	Fields  *float64 // Jaccard index of the names of the fields that are filled
}

// result contains the fields of results of all providers that are compared.
type result struct {
	cited
	Overview       cited    `json:"searchoverview"`
	OrganicResults []linked `json:"organicResults"`
	NewsResults    []linked `json:"newsResults"`
}

// cited contains the pages that an answer cites.
type cited struct {
	Sources       []paged `json:"sources"`
	CitationPills []paged `json:"citationPills"`
}

type (
	paged struct {
		URL string `json:"url"`
	}
	linked struct {
		Link string `json:"link"`
	}
)

// topResults is how many results of a search page are compared.
const topResults = 10

// Compare compares two results of the same provider.
func Compare(a, b []byte) (Figures, error) {
	var left, right result
	if err := json.Unmarshal(a, &left); err != nil {
		return Figures{}, fmt.Errorf("decode the first result: %w", err)
	}
	if err := json.Unmarshal(b, &right); err != nil {
		return Figures{}, fmt.Errorf("decode the second result: %w", err)
	}
	return Figures{
		Domains: Jaccard(left.domains(), right.domains()),
		Organic: overlap(left.top(), right.top()),
		Fields:  Jaccard(filled(a), filled(b)),
	}, nil
}

// Jaccard returns the number of values in both lists divided by the number of values in any
// of them. It returns nil if both lists are empty. Repeated values count once.
func Jaccard(a, b []string) *float64 {
	left, right := setOf(a), setOf(b)
	both := common(left, right)
	all := len(left) + len(right) - both
	if all == 0 {
		return nil
	}
	return new(float64(both) / float64(all))
}

// overlap returns the number of values in both lists divided by the length of the longer
// list. It returns nil if both lists are empty.
func overlap(a, b []string) *float64 {
	left, right := setOf(a), setOf(b)
	longer := max(len(left), len(right))
	if longer == 0 {
		return nil
	}
	return new(float64(common(left, right)) / float64(longer))
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, value := range list {
		set[value] = true
	}
	return set
}

func common(a, b map[string]bool) (n int) {
	for value := range a {
		if b[value] {
			n++
		}
	}
	return n
}

// domains returns the registrable domains of all cited pages.
func (r *result) domains() (domains []string) {
	for _, pages := range [][]paged{r.Sources, r.CitationPills, r.Overview.Sources, r.Overview.CitationPills} {
		for _, page := range pages {
			parsed, err := url.Parse(page.URL)
			if err != nil || parsed.Hostname() == "" {
				continue
			}
			host := strings.ToLower(parsed.Hostname())
			if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
				host = domain
			}
			domains = append(domains, host)
		}
	}
	return domains
}

// top returns the first results of the page in the form in which links are compared.
func (r *result) top() (links []string) {
	for _, found := range [][]linked{r.OrganicResults, r.NewsResults} {
		for _, one := range found[:min(len(found), topResults)] {
			links = append(links, canonical(one.Link))
		}
	}
	return links
}

// canonical returns a link without the parts in which links to the same page differ: the
// scheme, www., a final slash, the fragment and the parameters of campaigns.
func canonical(link string) string {
	parsed, err := url.Parse(link)
	if err != nil {
		return link
	}
	query := parsed.Query()
	for name := range query {
		if strings.HasPrefix(name, "utm_") || name == "srsltid" {
			query.Del(name)
		}
	}
	return strings.TrimPrefix(strings.ToLower(parsed.Host), "www.") + strings.TrimRight(parsed.EscapedPath(), "/") + "?" + query.Encode()
}

// notCompared are fields that depend on the upstream or on what the service keeps, not on
// the answer.
var notCompared = []string{"surface", "via", "location", "html", "rawResponse", "layout"}

// filled returns the names of the fields of a result that have a value.
func filled(text []byte) (names []string) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(text, &fields) // Compare has decoded it already
	for name, value := range fields {
		if !slices.Contains([]string{"null", `""`, "[]", "{}", "false", "0"}, string(value)) && !slices.Contains(notCompared, name) {
			names = append(names, name)
		}
	}
	return names
}
