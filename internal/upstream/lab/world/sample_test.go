package world

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain is a hash of answers that are not sampled. These answers must never change.
const plain = "d9382c3584045c18"

func TestPlainAnswersStayTheSame(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for _, country := range []string{"US", "DE", "JP", "SE"} {
		q := ask(country, "")
		for _, said := range []any{Compose(q), ComposeClusters(q, 3), Find(Search{Question: q}), Find(Search{Question: q, Start: 10}), Headlines(Search{Question: q})} {
			if err := encoder.Encode(said); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != plain {
		t.Errorf("answers that are not sampled have changed: %s, not %s", got, plain)
	}
}

// bare is a hash of sampled answers of a world that sets only how often brands are named.
const bare = "9ddbaab41fb130d2"

func TestWorldsWithoutContentsStayTheSame(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for seed := range 50 {
		q := sampled([]string{"US", "DE", "JP"}[seed%3], "garden chairs", "2026-11-20", seed, nil)
		for _, said := range []any{Compose(q), Find(Search{Question: q}), Find(Search{Question: q, Start: 10})} {
			if err := encoder.Encode(said); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != bare {
		t.Errorf("sampled answers have changed: %s, not %s", got, bare)
	}
}

// sampled returns a question on a day, with the default rates if rates is nil.
func sampled(country, prompt, day string, seed int, rates *Rates) Question {
	if rates == nil {
		rates = DefaultRates()
	}
	q := ask(country, "")
	q.Prompt, q.Assistant, q.Sample = prompt, "test", &Sample{Rates: rates, Day: day, Seed: strconv.Itoa(seed)}
	return q
}

// brandsIn returns the invented brands that a text names, sorted.
func brandsIn(text string) []string {
	var found []string
	for _, name := range brands {
		if strings.Contains(text, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func namesOf(mentions []Mention) []string {
	var names []string
	for _, m := range mentions {
		names = append(names, m.Name)
	}
	return names
}

// The texts of answers and search pages name the brands that Named returns, in every
// language.
func TestTextNamesTheDrawnBrands(t *testing.T) {
	t.Parallel()
	counts := map[int]int{}
	for _, country := range []string{"US", "DE", "FR", "ES", "BR", "IT", "NL", "JP"} {
		for seed := range 50 {
			q := sampled(country, "garden chairs", "2026-11-20", seed, nil)
			named := Named(q)
			counts[len(named)]++
			want := slices.Sorted(slices.Values(namesOf(named)))
			answer := Compose(q)
			text := Markdown(answer.Blocks, func(s Span) string { return s.Text })
			if got := brandsIn(text); !slices.Equal(got, want) {
				t.Fatalf("%s %d: the text names %v, drawn were %v:\n%s", country, seed, got, want, text)
			}
			if first := Brands(answer.Blocks); !slices.Equal(first, namesOf(named)) && len(named) > 0 {
				t.Errorf("%s %d: they come as %v, not %v", country, seed, first, namesOf(named))
			}
			for _, m := range named {
				own := slices.ContainsFunc(answer.Sources, func(s Source) bool { return strings.HasPrefix(s.URL, "https://"+m.domain()+"/") })
				if own != m.Cited {
					t.Errorf("%s %d: %s is cited: %t, want %t", country, seed, m.Name, own, m.Cited)
				}
			}
			if left := braces.FindString(fmt.Sprintf("%+v", *answer)); left != "" {
				t.Fatalf("%s: %s is left in the answer", country, left)
			}
			checkFound(t, q, named)
		}
	}
	for n := range 3 {
		if counts[n] == 0 {
			t.Errorf("no answer names %d brands: %v", n, counts)
		}
	}
}

// checkFound fails the test unless the drawn brands are on the first page of a search, in
// their order, and no brands are on later pages.
func checkFound(t *testing.T, q Question, named []Mention) {
	t.Helper()
	for start := range 2 {
		found := Find(Search{Question: q, Start: start * PageSize})
		var order []string
		seen := map[string]bool{}
		for _, r := range found.Results {
			if seen[r.URL] {
				t.Errorf("%s is listed twice", r.URL)
			}
			seen[r.URL] = true
			order = append(order, brandsIn(r.Title+r.Snippet)...)
		}
		want := namesOf(named)
		if start > 0 {
			want = nil
		}
		if !slices.Equal(order, want) || len(found.Results) != PageSize {
			t.Errorf("page %d shows %v, want %v, in %d results", start, order, want, len(found.Results))
		}
		if left := braces.FindString(fmt.Sprintf("%+v", *found)); left != "" {
			t.Errorf("%s is left in the page", left)
		}
	}
}

func TestSamplesDifferAndRepeat(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for seed := range 20 {
		q := sampled("US", "tea", "2026-11-20", seed, nil)
		if diff := cmp.Diff(Compose(q), Compose(q)); diff != "" {
			t.Fatalf("a sample has two answers:\n%s", diff)
		}
		seen[fmt.Sprint(Compose(q).Blocks)] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 samples have %d texts", len(seen))
	}
	if plain := (Question{Prompt: "tea", Country: "US"}); cmp.Equal(Compose(plain), Compose(sampled("US", "tea", "", 1, nil))) {
		t.Error("a sample equals the answer without sampling")
	}
}

// share returns the share of answers that name a brand, over some questions and days.
func share(rates *Rates, brand string, days []string, prompts, seeds int) float64 {
	named, all := 0, 0
	for _, day := range days {
		for prompt := range prompts {
			for seed := range seeds {
				all++
				q := sampled("US", fmt.Sprint("question ", prompt), day, seed, rates)
				if slices.Contains(namesOf(Named(q)), brand) {
					named++
				}
			}
		}
	}
	return float64(named) / float64(all)
}

func days(month string, n int) (list []string) {
	for day := range n {
		list = append(list, fmt.Sprintf("2026-%s-%02d", month, day+1))
	}
	return list
}

// The observed shares are within four binomial standard errors of the rates, with and
// without noise.
func TestObservedRates(t *testing.T) {
	t.Parallel()
	quiet := &Rates{Brands: []BrandRate{{Name: "Ollaro", Rate: 0.6}, {Name: "Kestrin", Rate: 0.1}, {Name: "Tamarek", Rate: 0}, {Name: "Wexholt", Rate: 1}}}
	for _, b := range quiet.Brands {
		got := share(quiet, b.Name, []string{"2026-11-20"}, 1, 400)
		if math.Abs(got-b.Rate) > 4*math.Sqrt(b.Rate*(1-b.Rate)/400) {
			t.Errorf("%s is named in %.3f of 400 answers, want %.2f", b.Name, got, b.Rate)
		}
	}
	noisy := &Rates{
		Brands: []BrandRate{{Name: "Ollaro", Rate: 0.6}, {Name: "Kestrin", Rate: 0.15}}, DayNoise: 0.4, PromptNoise: 1,
		Shifts: []Shift{{Day: "2026-11-01", Brand: "Ollaro", Rate: 0.3}},
	}
	for month, want := range map[string]float64{"10": 0.6, "11": 0.3} {
		if got := share(noisy, "Ollaro", days(month, 28), 100, 1); math.Abs(got-want) > 0.08 {
			t.Errorf("Ollaro is named in %.3f of the answers of month %s, want %.2f", got, month, want)
		}
	}
	if got := share(noisy, "Kestrin", days("10", 28), 100, 1); math.Abs(got-0.15) > 0.06 {
		t.Errorf("Kestrin is named in %.3f of the answers, want 0.15", got)
	}
}

// With day noise, the days differ by more than chance; without it, they do not.
func TestDaysDiffer(t *testing.T) {
	t.Parallel()
	spread := func(noise float64) float64 {
		rates := &Rates{Brands: []BrandRate{{Name: "Ollaro", Rate: 0.5}}, DayNoise: noise}
		var sum, squares float64
		all := days("11", 28)
		for _, day := range all {
			x := share(rates, "Ollaro", []string{day}, 1, 200)
			sum, squares = sum+x, squares+x*x
		}
		n := float64(len(all))
		return math.Sqrt(squares/n - sum/n*sum/n)
	}
	quiet, noisy := spread(0), spread(1)
	if quiet > 0.06 || noisy < 0.12 {
		t.Errorf("days spread by %.3f without noise and by %.3f with it", quiet, noisy)
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	rates := &Rates{Brands: []BrandRate{{Name: "Kestrin", Rate: 1, Position: 2}, {Name: "Ollaro", Rate: 1}}}
	first := 0
	for seed := range 400 {
		if Named(sampled("US", "tea", "", seed, rates))[0].Name == "Ollaro" {
			first++
		}
	}
	if first < 340 || first > 395 {
		t.Errorf("the brand with the lower position comes first in %d of 400 answers", first)
	}
}

func TestParseRates(t *testing.T) {
	t.Parallel()
	r, err := ParseRates([]byte("brands:\n  - {name: Ollaro, rate: 0.6, domains: [ollaro.example], cited: 0, position: -1}\n  - {name: Kestrin, rate: 0.3}\n" +
		"dayNoise: 0.3\npromptNoise: 0.8\nshifts: [{day: 2026-11-20, brand: Ollaro, rate: 0.3}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	never := 0.0
	want := &Rates{
		Brands:   []BrandRate{{Name: "Ollaro", Rate: 0.6, Domains: []string{"ollaro.example"}, Cited: &never, Position: -1}, {Name: "Kestrin", Rate: 0.3}},
		DayNoise: 0.3, PromptNoise: 0.8, Shifts: []Shift{{Day: "2026-11-20", Brand: "Ollaro", Rate: 0.3}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	for text, part := range map[string]string{
		"":                               "brands",
		"brands: []":                     "brands",
		"brands: [{name: A, rate: 2}]":   "brands[0].rate",
		"brands: [{rate: 1}]":            "brands[0].name",
		"brands: [{name: A}, {name: A}]": "brands[1].name",
		"brands: [{name: A, domains: ['https://a.example']}]":                   "brands[0].domains",
		"brands: [{name: A, cited: 1.5}]":                                       "brands[0].cited",
		"brands: [{name: A, position: .nan}]":                                   "brands[0].position",
		"brands: [{name: A}]\ndayNoise: -1":                                     "dayNoise",
		"brands: [{name: A}]\npromptNoise: 9":                                   "promptNoise",
		"brands: [{name: A}]\nshifts: [{day: soon, brand: A}]":                  "shifts[0].day",
		"brands: [{name: A}]\nshifts: [{day: 2026-01-01, brand: B}]":            "shifts[0].brand",
		"brands: [{name: A}]\nshifts: [{day: 2026-01-01, brand: A, rate: -1}]":  "shifts[0].rate",
		"brands: [{name: A}]\nshifts: [{day: 2026-01-01, brand: A, of: rank}]":  "shifts[0].of",
		"brands: [{name: A}]\nshifts: [{day: 2026-01-01, brand: A, of: price}]": "shifts[0].rate",
		"brands: [{name: A, retrieved: 2}]":                                     "brands[0].retrieved",
		"brands: [{name: A, products: 2}]":                                      "brands[0].products",
		"brands: [{name: A, price: -1}]":                                        "brands[0].price",
		"brands: [{name: A, ads: 2}]":                                           "brands[0].ads",
		"brands: [{name: A}]\nsearches: {rate: 2, counts: [1]}":                 "searches.rate",
		"brands: [{name: A}]\nsearches: {rate: 1, counts: [0.5, 0.4]}":          "searches.counts",
		"brands: [{name: A}]\nsearches: {rate: 1, counts: [2, -1]}":             "searches.counts[0]",
		"brands: [{name: A}]\nsearches: {counts: [1], branded: 2}":              "searches.branded",
		"brands: [{name: A}]\nmerchants: [{rate: 1}]":                           "merchants[0].name",
		"brands: [{name: A}]\nmerchants: [{name: M, rate: 2}]":                  "merchants[0].rate",
		"brands: [{name: A}]\npriceNoise: 2":                                    "priceNoise",
		"brands: [{name: A}]\noverview: 2":                                      "overview",
		"brands: [{name: A}]\nblocks: {hotels: 1}":                              "blocks",
		"brands: [{name: A}]\nblocks: {videos: 2}":                              "blocks",
		"brands: [{name: A}]\nnoise: 1":                                         "noise",
		"brands: [{name: A}]\n---\nbrands: [{name: B}]":                         "single",
		"brands: [" + strings.Repeat("{name: A},", MaxBrands) + "{name: B}]":    "brands",
	} {
		if _, err := ParseRates([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want an error about %s", text, err, part)
		}
	}
}
