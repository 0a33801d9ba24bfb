package dashboard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

// testReviews marks a review, and checks that a key that only reads cannot mark it.
func testReviews(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	// Every sentence that names Ollaro differs from this fact.
	makeTracker(t, n, a, earshot.TrackerDefinition{
		Brands:  earshot.List[earshot.Brand]{{Name: "Ollaro", Own: true}, {Name: "Kestrin"}},
		Facts:   earshot.List[earshot.Fact]{{Brand: "Ollaro", Name: "spelling", Near: earshot.List[string]{"Ollaro"}, Is: "Ollara", Not: earshot.List[string]{"Ollaro"}}},
		Prompts: earshot.List[earshot.TrackedPrompt]{{Text: "best running shoes for beginners"}, {Text: "Which trail running shoes last longest?"}, {Text: "best running shoes for women"}},
		Targets: earshot.List[earshot.Target]{{Provider: "chatassistant", Country: "US"}, {Provider: "answerengine", Country: "US"}},
	})
	reviews := func(state string) []earshot.Review {
		return get[earshot.ReviewPage](t, n, a, "/v1/trackers/seen/reviews?kind=fact&state="+state).Reviews
	}
	harness.Eventually(t, "the sweep is reviewed", func() bool { return len(reviews("open")) == 1 })
	review := reviews("open")[0]
	p.goTo("#/trackers/seen/reviews")
	p.see(hook("reviews"), "spelling: expected Ollara, found Ollaro")
	p.see(hook("reviews")+" mark", "Ollaro")
	p.see(hook("reviews")+" a[href$='"+review.Examples[0].Answer+"']", "")
	p.phone()
	p.fits("reviews")
	const note = "The <b>lab</b> is wrong"
	p.fill("[aria-label=Note]", note)
	p.click(hook("mark-review"), "Wrong")
	p.see(hook("review-state"), "Wrong")
	p.see(hook("reviews"), note)
	if got := reviews("wrong"); len(got) != 1 || got[0].ID != review.ID || got[0].Note != note || got[0].MarkedAt == nil {
		t.Errorf("the reviews marked as wrong are %+v, want %s", got, review.ID)
	}
	p.choose("#filter-state", "resolved")
	p.see("section", "No reviews")
	p.choose("#filter-state", "wrong")
	p.see(hook("reviews"), note)

	reader := c.signIn(t, n.BaseURL, n.Key(t, a, time.Time{}, account.ScopeRead).Key.Text)
	reader.goTo("#/trackers/seen/reviews?state=all")
	reader.see(hook("reviews"), note)
	reader.gone(hook("mark-review"), "")
}

// testBesidesTheText compares the metrics of the card with the API's exact values.
func testBesidesTheText(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	names := []string{"searched", "fanout", "retrievalRate", "citationRate", "citedWhenRetrieved", "productVisibility", "adRate", "paidShare", "organicVisibility", "overviewRate"}
	rows := metricsOf(t, n, a, "by=brand&metric="+strings.Join(names, "@m2,")+"@m2").Rows
	p.goTo("#/trackers/demo/overview")
	for _, brand := range []string{"Ollaro", "Kestrin"} {
		p.see("[aria-label='Besides the text'] select", "")
		p.choose("[aria-label='Besides the text'] select", brand)
		var want []float64
		for _, name := range names {
			i := slices.IndexFunc(rows, func(r earshot.MetricRow) bool {
				return r.Metric == name+"@m2" && (r.Brand == "" || r.Brand == brand)
			})
			want = append(want, *rows[i].Value)
		}
		if got := p.values(hook("besides")); !slices.Equal(got, want) {
			t.Errorf("the metrics of %s are %v, want %v", brand, got, want)
		}
	}
	for _, row := range metricsOf(t, n, a, "by=target&metric=searched").Rows {
		if row.Reason == "" {
			continue
		}
		p.goTo("#/trackers/demo/overview?target=" + row.Target)
		p.see(hook("besides")+" [data-label=Value]", map[string]string{"notOffered": "not offered", "notRequested": "not requested"}[row.Reason])
		return
	}
	t.Error("no target of the demo lacks searches")
}
