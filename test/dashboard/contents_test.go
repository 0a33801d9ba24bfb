package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"earshot"
)

// cells returns the texts of the cells in the first column of a table, and the exact values in another column.
func (p *tab) cells(table, column string) (names []string, values []float64) {
	p.t.Helper()
	text, _ := p.eval(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map((e) => e.innerText))`, quote(table+" tbody th"))).(string)
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		p.t.Fatal(err)
	}
	return names, p.values(fmt.Sprintf("%s [data-label=%q]", table, column))
}

// testContents compares the lists of searches, products and ads with the API's.
func testContents(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	// lists checks the first page of a list: the text that each row starts with, and the values of a column.
	lists := func(list, column string, names []string, values []float64) {
		t.Helper()
		p.until("the rows", fmt.Sprintf(`document.querySelectorAll(%s).length === %d`, quote(hook(list)+" tbody tr"), len(names)))
		gotNames, gotValues := p.cells(hook(list), column)
		if !slices.EqualFunc(gotNames, names, strings.HasPrefix) || len(names) == 0 {
			t.Errorf("the %s are %q, want %q", list, gotNames, names)
		}
		if !slices.Equal(gotValues, values) {
			t.Errorf("%s of %s is %v, want %v", column, list, gotValues, values)
		}
	}

	searches := get[earshot.SearchReport](t, n, a, "/v1/trackers/demo/searches?limit=50")
	names, missed := []string{}, []float64{}
	for _, row := range searches.Rows {
		names, missed = append(names, row.Search), append(missed, float64(row.Missed))
	}
	p.goTo("#/trackers/demo/searches")
	p.see(hook("searches"), fmt.Sprintf("%d answers left out", searches.NotOffered))
	lists("searches", "Missed", names, missed)
	for _, row := range searches.Rows {
		for _, word := range row.Added {
			p.see(hook("searches")+" mark", word)
		}
	}
	p.click(hook("searches")+" [data-label='Newest answer'] a", "")
	p.until("the newest answer", fmt.Sprintf("location.hash.includes(%s)", quote(searches.Rows[0].Newest)))
	p.goTo("#/trackers/demo/searches")
	p.fill(hook("search"), names[0])
	p.until("the search in the address", `location.hash.includes("q=")`)
	found := get[earshot.SearchReport](t, n, a, "/v1/trackers/demo/searches?limit=50&q="+url.QueryEscape(names[0])).Rows
	p.until("the search that was searched", fmt.Sprintf(`document.querySelectorAll(%s).length === %d`, quote(hook("searches")+" tbody tr"), len(found)))
	p.fill(hook("search"), "nothing of the kind")
	p.click("button", "Clear search")
	p.until("all searches", fmt.Sprintf(`document.querySelectorAll(%s).length === %d`, quote(hook("searches")+" tbody tr"), len(names)))

	products := get[earshot.ProductReport](t, n, a, "/v1/trackers/demo/products?limit=50")
	names, shares := []string{}, []float64{}
	for _, row := range products.Rows {
		names, shares = append(names, row.Title), append(shares, row.Share)
	}
	p.goTo("#/trackers/demo/products")
	p.see(hook("products"), "")
	lists("products", "Share", names, shares)
	p.see(hook("products")+" .spark path", "")
	names, shares = nil, nil
	for _, row := range products.Merchants {
		names, shares = append(names, row.Name), append(shares, row.Share)
	}
	lists("merchants", "Share of offers", names, shares)
	brand := products.Rows[0].Brands[0]
	p.choose("#filter-brand", brand)
	names, shares = nil, nil
	for _, row := range get[earshot.ProductReport](t, n, a, "/v1/trackers/demo/products?limit=50&brand="+url.QueryEscape(brand)).Rows {
		names, shares = append(names, row.Title), append(shares, row.Share)
	}
	lists("products", "Share", names, shares)

	names, shares = nil, nil
	for _, row := range get[earshot.AdReport](t, n, a, "/v1/trackers/demo/ads?limit=50").Rows {
		names, shares = append(names, row.Title), append(shares, row.Share)
	}
	p.goTo("#/trackers/demo/ads")
	p.see(hook("ads"), "")
	lists("ads", "Share", names, shares)
}

// testNothingRequested checks that a list without data says how to request it.
func testNothingRequested(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	makeTracker(t, n, a, earshot.TrackerDefinition{
		Prompts: earshot.List[earshot.TrackedPrompt]{{Text: "best running shoes"}},
		Targets: earshot.List[earshot.Target]{{Provider: "chatassistant", Country: "US"}},
	})
	for list, option := range map[string]string{"searches": "searchQueries", "products": "shopping", "ads": "ads"} {
		p.goTo("#/trackers/seen/" + list)
		p.see(".empty", "options.include."+option)
		p.see(".empty", "1 answer left out: "+list+" not requested")
	}
}

// testSourceDetails compares what the page of sources shows besides citations with the API's.
func testSourceDetails(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	p.goTo("#/trackers/demo/sources?days=4")
	p.see(hook("gained-lost"), "lost")
	p.until("the request", `(window.__since = performance.getEntriesByType("resource").map(({ name }) => name).find((name) => /sources\?.*since=true/.test(name)))`)
	sent, _ := p.eval(`new URL(window.__since).search`).(string)
	report := get[earshot.SourceReport](t, n, a, "/v1/trackers/demo/sources"+sent)
	names, retrieved, cited, gained := []string{}, []float64{}, []float64{}, 0
	for _, row := range report.Rows {
		names = append(names, row.Domain)
		if row.Retrieved.Share != nil {
			retrieved = append(retrieved, *row.Retrieved.Share)
		}
		cited = append(cited, *row.Cited.Share)
		if row.Since.State == "gained" {
			gained++
		}
		if row.Example != nil {
			p.see(fmt.Sprintf("%s a[href*=%q]", hook("sources"), row.Example.Answer), "")
		}
	}
	if got := p.values(hook("sources") + " [data-label=Retrieved]"); !slices.Equal(got, retrieved) || len(got) == 0 {
		t.Errorf("the shares of retrieved sources are %v, want %v", got, retrieved)
	}
	if got := p.values(hook("sources") + " [data-label=Cited]"); !slices.Equal(got, cited) {
		t.Errorf("the shares of cited sources are %v, want %v for %q", got, cited, names)
	}
	p.see(hook("gained-lost"), fmt.Sprintf("%d domain", gained))
	p.see(hook("gained-lost"), fmt.Sprintf("%d domain", len(report.Lost)))
	mentions := []float64{}
	for _, row := range report.Matrix.Rows {
		if slices.Max(row.Mentions) > 0 {
			for _, count := range row.Mentions {
				mentions = append(mentions, float64(count))
			}
		}
	}
	if got := p.values(hook("source-matrix")); !slices.Equal(got, mentions) || len(got) == 0 {
		t.Errorf("the sources by brand are %v, want %v", got, mentions)
	}
	p.choose("#filter-brand", "Kestrin")
	few := get[earshot.SourceReport](t, n, a, "/v1/trackers/demo/sources"+sent+"&brand=Kestrin").Rows
	if len(few) == 0 || len(few) == len(names) {
		t.Fatalf("%d of %d sources are about Kestrin", len(few), len(names))
	}
	p.until("the sources of the brand", fmt.Sprintf(`document.querySelectorAll(%s).length === %d`, quote(hook("sources")+" tbody tr"), len(few)))
	p.click(hook("source-matrix")+" td[data-label=Kestrin] a", "")
	p.see(".pill", "Source: ")
	p.see(hook("answers")+" tr", "")
}
