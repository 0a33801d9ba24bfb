package world

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/geo"
)

func ask(country, state string) Question {
	return Question{Prompt: "garden chairs", Country: country, State: state, Language: geo.Language(country), Search: true}
}

func TestComposeIsAFunctionOfTheQuestion(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, country := range geo.Countries() {
		q := ask(country, "")
		first := Compose(q)
		if diff := cmp.Diff(first, Compose(q)); diff != "" {
			t.Fatalf("%s: two answers to one question:\n%s", country, diff)
		}
		text := fmt.Sprint(first.Sources, first.Cards)
		if other, taken := seen[text]; taken {
			t.Errorf("%s and %s get the same answer", country, other)
		}
		seen[text] = country
	}
	if cmp.Equal(Compose(ask("US", "CA")), Compose(ask("US", "NY"))) {
		t.Error("two states get the same answer")
	}
	spaced := ask("US", "")
	spaced.Prompt = "  Garden   chairs "
	if !cmp.Equal(Compose(ask("US", "")).Sources[0].URL, Compose(spaced).Sources[0].URL) {
		t.Error("white space and letter case change the answer")
	}
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "de", "fr", "es", "pt", "it", "nl", "ja"} {
		book := phrasesIn(lang)
		if book.language != lang {
			t.Errorf("%s falls back to %s", lang, book.language)
			continue
		}
		if len(book.Item) < 3 || len(book.Queries) < 5 || len(book.Titles) < 6 {
			t.Errorf("%s has too few phrases", lang)
		}
	}
	if book := phrasesIn("sv"); book.language != "en" {
		t.Errorf("a language without phrases falls back to %s", book.language)
	}
}

// braces matches a placeholder that was not replaced.
var braces = regexp.MustCompile(`\{[a-z]+\}`)

func TestAnswersAreCompleteAndInvented(t *testing.T) {
	t.Parallel()
	for _, country := range []string{"US", "DE", "FR", "ES", "BR", "IT", "NL", "JP", "SE", "AQ"} {
		for _, prompt := range []string{"a", "b", "c", "d", "", strings.Repeat("long ", 2000)} {
			q := ask(country, "")
			q.Prompt = prompt
			a := Compose(q)
			if n := len(a.Sources); n < 4 || n > 8 {
				t.Errorf("%s %q: %d sources", country, prompt, n)
			}
			if n := len(a.Queries); n < 3 || n > 5 {
				t.Errorf("%s %q: %d queries", country, prompt, n)
			}
			for _, source := range a.Sources {
				checkInvented(t, source.URL)
			}
			for _, card := range a.Cards {
				for _, p := range card.Products {
					checkInvented(t, p.URL)
				}
			}
			if left := braces.FindString(fmt.Sprintf("%+v", *a)); left != "" {
				t.Errorf("%s: %s is left in the answer", country, left)
			}
			checkChips(t, a)
		}
	}
}

func checkInvented(t *testing.T, link string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Hostname(), ".example") {
		t.Errorf("%q may be real", link)
	}
}

func checkChips(t *testing.T, a *Answer) {
	t.Helper()
	chips := 0
	for _, block := range a.Blocks {
		for _, line := range block.Lines {
			for _, span := range line {
				if span.Cites == nil {
					continue
				}
				chips++
				if len(span.Cites) > 3 {
					t.Errorf("a chip with %d sources", len(span.Cites))
				}
			}
		}
	}
	if chips < 3 {
		t.Errorf("%d chips", chips)
	}
}

func TestWithoutSearchNothingIsCited(t *testing.T) {
	t.Parallel()
	q := ask("DE", "")
	q.Search = false
	a := Compose(q)
	if len(a.Sources)+len(a.Queries)+len(a.MapQueries)+len(a.Places) > 0 {
		t.Errorf("found something: %+v", a)
	}
	for _, block := range a.Blocks {
		for _, line := range block.Lines {
			for _, span := range line {
				if span.Cites != nil {
					t.Error("a chip without a search")
				}
			}
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]string{
		"US": "$1,234.99", "DE": "1.111,99 €", "FR": "1\u202f111,99 €", "NL": "€ 1.111,99", "JP": "¥185,100",
		"BR": "R$ 6.170,99", "GB": "£987.99", "SE": "12,340 kr", "AE": "AED 1,234.99", "AQ": "$1,234.99",
	} {
		if got := moneyOf(country, phrasesIn(geo.Language(country))).write(1234); got != want {
			t.Errorf("%s: %q, want %q", country, got, want)
		}
	}
}
