package websearch_test

import (
	"fmt"
	"testing"

	"earshot/internal/provider/websearch"
)

// TestRating reads the rating of a product in the forms and languages in which pages show it.
func TestRating(t *testing.T) {
	t.Parallel()
	const none = -1
	for _, test := range []struct {
		html    string
		stars   float64
		reviews int
	}{
		{`<span role="img" aria-label="Rated 4.5 out of 5,"></span><span>(1.2K)</span>`, 4.5, 1200},
		{`<span role="img" aria-label="Bewertung: 4,6 von 5,"></span><span aria-label="(45) Rezensionen">(45)</span>`, 4.6, 45},
		{`<span role="img" aria-label="5 つ星のうち 4.5"></span>`, 4.5, none},
		{`<span role="img" aria-label="٤٫٥ من ٥"></span>(١٢)`, 4.5, 12},
		{`<span role="img" aria-label="4.5/5"></span>`, 4.5, none},
		{`<span role="img" aria-label="Rated4.5out of5"></span>`, 4.5, none},
		{`<div role="img" aria-label="Rated 4.1 out of 5. Rated by 1.6K reviews."></div>`, 4.1, 1600},
		{`<div role="img" aria-label="Rated 4 out of 5, 733 user reviews"></div>`, 4, 733},
		{`<span role="img" aria-label="Rated 4 out of 5"></span><span>(9k+)</span>`, 4, 9000},
		{`<span role="img" aria-label="Delivery"></span>Free<span role="img" aria-label="Note : 4,2 sur 5"></span>(12)`, 4.2, 12},
		{`<span role="img" aria-label="1 of 6"></span><span>4,7</span> <span>·</span> <span>(2,5 mil)</span>`, 4.7, 2500},
		{`<span>4.3 (365)</span>`, 4.3, 365},
		{`<span>4.3</span>(<span>1,9 Tsd.</span>)`, 4.3, 1900},
		{`<span role="img" aria-label="Rated 4.5 out of 5,"></span><div>Model (12)</div><div>(2024)</div>`, 4.5, none},
		{`<span role="img" aria-label="3 of 5"></span>`, none, none},
		{`<span role="img" aria-label="2-5 days"></span><div>(3)</div>`, none, none},
		{`<span role="img" aria-label="Rated 8.5 out of 10"></span>`, none, none},
		{`<span>4.5</span><div>inches</div><div>(12)</div>`, none, none},
	} {
		page := fmt.Sprintf(`<!DOCTYPE html><html><body><div id="rso"><div data-product-id="1"><div>Northpeak</div><div>$10</div>%s</div></div></body></html>`, test.html)
		result, err := websearch.Parse([]byte(page), realEngine, "US")
		if err != nil || len(result.ShoppingCards) != 1 {
			t.Fatalf("%s: %+v, %v", test.html, result, err)
		}
		stars, reviews := float64(none), none
		if p := result.ShoppingCards[0].Products[0]; p.Rating != nil {
			stars = *p.Rating
			if p.Reviews != nil {
				reviews = *p.Reviews
			}
		}
		if stars != test.stars || reviews != test.reviews {
			t.Errorf("%s: %g stars and %d reviews, want %g and %d", test.html, stars, reviews, test.stars, test.reviews)
		}
	}
}
