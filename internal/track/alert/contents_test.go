package alert_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"earshot/internal/track/alert"
)

func TestStartsAds(t *testing.T) {
	t.Parallel()
	none := make([]alert.Ads, 28)
	for i := range none {
		none[i].Answers = 50
	}
	const p = 1e-3
	for _, test := range []struct {
		name   string
		sweeps []alert.Ads
		want   bool
	}{
		{"10 of 50 answers after 28 sweeps without ads", append(none, alert.Ads{Answers: 50, Shown: 10}), true},
		{"a single ad, which happens by chance", append(none, alert.Ads{Answers: 50, Shown: 1}), false},
		{"single ads in three sweeps", append(none, alert.Ads{Answers: 50, Shown: 1}, alert.Ads{Answers: 50, Shown: 1}, alert.Ads{Answers: 50, Shown: 1}), true},
		{"a start that an earlier sweep has shown", append(none, alert.Ads{Answers: 50, Shown: 10}, alert.Ads{Answers: 50, Shown: 10}), false},
		{"13 sweeps before", append(none[:13:13], alert.Ads{Answers: 50, Shown: 50}), false},
		{"ads in the first sweep", append([]alert.Ads{{Answers: 50, Shown: 1}}, append(none, alert.Ads{Answers: 50, Shown: 50})...), false},
	} {
		if _, got := alert.StartsAds(test.sweeps, p); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// A brand that always advertises a little must not start again and again: at most a false alarm a
// year, whatever its rate.
func TestStartsAdsStaysWithinTheBudget(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 8))
	const years, answers = 40, 50
	for _, rate := range []float64{0.0002, 0.0007, 0.002} {
		found := 0
		var sweeps []alert.Ads
		for range years * year {
			now := alert.Ads{Answers: answers}
			for range answers {
				if r.Float64() < rate {
					now.Shown++
				}
			}
			sweeps = append(sweeps[max(0, len(sweeps)-28):], now)
			if _, started := alert.StartsAds(sweeps, 1.0/year); started {
				found++
			}
		}
		if found > years {
			t.Errorf("with a rate of %v, there are %d false alarms in %d years, want at most 1 a year", rate, found, years)
		}
	}
}

func TestPriceLeavesItsRange(t *testing.T) {
	t.Parallel()
	price := &alert.Price{Title: "Ollaro Road", Currency: "USD", Target: "chatassistant/US"}
	for i := range 24 {
		price.Sweeps = append(price.Sweeps, 100+float64(i%3))
	}
	const p = 1e-4
	found := 0
	for range 5 {
		price.Sweeps = append(price.Sweeps[1:], 90)
		found = max(found, price.LeftRange(p))
	}
	if found == 0 {
		t.Fatal("a price that fell and stayed is not found within 5 sweeps")
	}
	want := "The price of Ollaro Road on chatassistant/US left the range of the last 28 days: 90.00 USD, before 100.00 to 102.00 USD."
	if text := alert.PriceSummary(price, 5); text != want {
		t.Errorf("the summary is %q, want %q", text, want)
	}
	r, falseAlarms := rand.New(rand.NewPCG(4, 4)), 0
	const sweeps = 20_000
	random := &alert.Price{}
	for range sweeps {
		random.Sweeps = append(random.Sweeps[max(0, len(random.Sweeps)-27):], r.Float64())
		if random.EnoughPrices() && random.LeftRange(1e-3) > 0 {
			falseAlarms++
		}
	}
	if falseAlarms > 40 { // 20 are expected at most
		t.Errorf("%d of %d random prices left the range, want at most 1 of 1000", falseAlarms, sweeps)
	}
}

func TestUncitedPages(t *testing.T) {
	t.Parallel()
	pages := []alert.Page{
		{URL: "https://own.example/lost", Read: 40, Cited: 20, ReadNow: 40},
		{URL: "https://own.example/kept", Read: 40, Cited: 20, ReadNow: 40, CitedNow: 18},
		{URL: "https://own.example/gone", Read: 40, Cited: 20}, // no longer retrieved either
		{URL: "https://own.example/rare", Read: 40, Cited: 1, ReadNow: 40},
	}
	found := alert.Uncited(pages, 0.05)
	if len(found) != 1 || found[0] != pages[0] {
		t.Fatalf("found %+v, want the first page", found)
	}
	if text := alert.PageSummary(found); !strings.Contains(text, "https://own.example/lost (cited in 20 of 40 answers before, now in none of 40)") {
		t.Errorf("the summary is %q", text)
	}
}
