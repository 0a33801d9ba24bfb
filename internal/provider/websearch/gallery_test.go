package websearch_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
)

// TestGallery checks the row of entities above the results. It is navigation, and its items are
// tabs. The names of items are on several lines, with copies for screen readers.
func TestGallery(t *testing.T) {
	t.Parallel()
	const gallery = `<div role="navigation"><div><a href="/search?q=Ada+Pell&stick=H1">Ada Pell</a><span>/</span><span>Works</span></div><g-scrolling-carousel><div role="tablist">` +
		`<a role="tab" data-entityname="Grey Harbor" title="Grey Harbor (1931)" href="/search?q=Grey+Harbor&stick=H2"><div aria-hidden="true"><img alt=""><div>Grey </div><div>Harbor</div><div>1931</div></div></a>` +
		`<a role="tab" data-entityname="Low Tide" title="Low Tide" href="/search?q=Low+Tide&stick=H3"><div aria-hidden="true"><div>Low Tide</div></div></a>` +
		`</div></g-scrolling-carousel></div><a role="tab" href="/search?q=Ada+Pell&stick=H4"><img alt="">Overview</a>`
	found := parseBox(t, gallery)
	want := []earshot.Carousel{{Title: "Ada Pell/Works", Items: []earshot.CarouselItem{{Position: 1, Title: "Grey Harbor", Subtitle: "1931"}, {Position: 2, Title: "Low Tide"}}}}
	for _, list := range found.Carousels {
		for i := range list.Items {
			if list.Items[i].Link == "" {
				t.Errorf("%q has no link", list.Items[i].Title)
			}
			list.Items[i].Link = ""
		}
	}
	if diff := cmp.Diff(want, found.Carousels); diff != "" {
		t.Error(diff)
	}
	if found.Layout[0].Type != earshot.BlockCarousel {
		t.Errorf("layout begins with %+v", found.Layout[0])
	}
}

// TestOtherBlocks checks that the layout has blocks that were not understood: an item alone below
// its heading, and the column next to the results of a page without a panel.
func TestOtherBlocks(t *testing.T) {
	t.Parallel()
	const column = `<div id="rhs" role="complementary"><h2>Complementary Results</h2>%s</div>`
	const thing = `<a href="/search?q=%s&stick=H"><img alt=""><div>%[1]s</div></a>`
	for block, want := range map[string]earshot.LayoutBlock{
		`<div><h2>Based on the book</h2><div>` + fmt.Sprintf(thing, "Quay") + `</div></div>`:                                          {Type: earshot.BlockUnknown, Title: "Based on the book", Count: 1},
		fmt.Sprintf(column, `<div role="heading" aria-level="2">Things to know</div><div>Purpose</div><div>Sizes</div>`):              {Type: earshot.BlockUnknown, Title: "Things to know", Count: 1},
		fmt.Sprintf(column, `<h3>See results about</h3>`+fmt.Sprintf(thing, "Quay")+fmt.Sprintf(thing, "Pier")):                       {Type: earshot.BlockCarousel, Title: "See results about", Count: 2},
		fmt.Sprintf(column, `<div data-ved="1t:1"><a href="https://pier.example/">Pier</a></div><div><h3>About this page</h3></div>`): {Type: earshot.BlockUnknown, Title: "About this page", Count: 1},
	} {
		if !hasBlock(parseBox(t, block).Layout, want) {
			t.Errorf("%s:\n%+v is not in %+v", block, want, parseBox(t, block).Layout)
		}
	}
	if layout := parseBox(t, fmt.Sprintf(column, `<div>Feedback</div>`)).Layout; len(layout) != 1 {
		t.Errorf("layout of a column without content is %+v", layout)
	}
}

func hasBlock(layout []earshot.LayoutBlock, want earshot.LayoutBlock) bool {
	for _, block := range layout {
		block.Position = 0
		if cmp.Equal(block, want) {
			return true
		}
	}
	return false
}

// TestVideosElsewhere checks videos on a page with kinds of clicks that the page itself cannot play.
// News with a video have the duration in the link with their title.
func TestVideosElsewhere(t *testing.T) {
	t.Parallel()
	const video = `<div><div><a data-ved="1t:82050" href="%[1]s"><div role="heading" aria-level="3"><div><span>%[2]s</span></div><div><span>Pier+ · Pier Channel</span><div>Oct 31, 2023</div></div></div></a></div>` +
		`<a data-ved="1t:83202" href="%[1]s"><img alt=""><div><span>1:25</span></div></a></div>`
	found := parseBox(t, `<div><h2>Videos</h2>`+fmt.Sprintf(video, "https://pier.example/1", "Tides")+fmt.Sprintf(video, "https://pier.example/2", "Waves")+`</div>`)
	want := []earshot.Video{
		{Position: 1, Title: "Tides", URL: "https://pier.example/1", Platform: "Pier+", Channel: "Pier Channel", Duration: "1:25", Date: "Oct 31, 2023"},
		{Position: 2, Title: "Waves", URL: "https://pier.example/2", Platform: "Pier+", Channel: "Pier Channel", Duration: "1:25", Date: "Oct 31, 2023"},
	}
	if diff := cmp.Diff(want, found.Videos); diff != "" || len(found.Carousels) > 0 {
		t.Errorf("carousels %+v, videos:\n%s", found.Carousels, diff)
	}
	const news = `<div><a data-ved="1t:90001" href="https://pier.example/%[1]s"><div><img alt=""><span>0:30</span></div><div role="heading" aria-level="3">%[1]s</div></a></div>`
	found = parseBox(t, `<div><h2>Latest</h2>`+fmt.Sprintf(news, "Tides")+fmt.Sprintf(news, "Waves")+`</div>`)
	if len(found.Videos) > 0 {
		t.Errorf("videos are %+v", found.Videos)
	}
}

// TestOldPrice checks that the old price does not contain the words before it.
func TestOldPrice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Usually $50": "$50", "Was: $50": "$50", "$50": "$50", "R$ 50": "R$ 50", "US$50": "US$50"} {
		found := parseBox(t, `<div data-product-id="1"><div>Northpeak</div><div><span>$40</span><span>`+text+`</span></div></div>`)
		if p := found.ShoppingCards[0].Products[0]; p.OldPrice == nil || p.OldPrice.Raw != want || *p.OldPrice.Value != 50 {
			t.Errorf("%s: old price is %+v", text, p.OldPrice)
		}
	}
}

// TestDateOfSnippet checks that counts at the beginning of a snippet are not dates.
func TestDateOfSnippet(t *testing.T) {
	t.Parallel()
	const page = `<!DOCTYPE html><html><body><div id="rso"><div><div><a href="https://pier.example/"><h3>Pier</h3></a></div><div data-sncf="1"><span>%s</span> — <span>Old boats that are kept in the harbor.</span></div></div></div></body></html>`
	for before, isDate := range map[string]bool{
		"Results 1 - 24 of 38": false, "Ergebnisse 1 – 30 von 57": false, "Rating: 4.2": false,
		"18.07.2023": true, "3 hours ago": true, "Jun 3 - 5, 2023": true,
	} {
		result, err := parse(fmt.Appendf(nil, page, before))
		found, ok := result.(*earshot.WebSearch)
		if err != nil || !ok || len(found.OrganicResults) != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
		want := earshot.OrganicResult{Snippet: before + " — Old boats that are kept in the harbor."}
		if isDate {
			want = earshot.OrganicResult{Date: before, Snippet: "Old boats that are kept in the harbor."}
		}
		if got := found.OrganicResults[0]; got.Date != want.Date || got.Snippet != want.Snippet {
			t.Errorf("%s: date %q, snippet %q", before, got.Date, got.Snippet)
		}
	}
}
