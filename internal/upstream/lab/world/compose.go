// Package world generates the content of the lab's sites: brands, shops, magazines,
// places, and phrases about them in several languages. Compose composes an answer; the
// sites turn the answer into the documents of their provider. All names are invented, and
// every domain ends in .example.
//
// The content is a pure function of the question, so the same question gets the same
// answer on every node and after a restart. If the question has a Sample, the brands that
// the answer names also depend on the sample.
//
//	answer.go       the parts of an answer
//	compose.go      composing an answer
//	prose.go        paragraphs, lists and citations
//	markdown.go     an answer as Markdown
//	press.go        sources, videos and images
//	posts.go        posts in the social network
//	market.go       products, offers, ads and shops nearby
//	clusters.go     a given number of products, each with an id and a data sheet
//	search.go       a page of a web search
//	blocks.go       further blocks on that page
//	news.go         a page of a news search
//	dice.go         random choices that are seeded by the question
//	money.go        prices in the format of a country
//	names.go        invented names
//	sample.go       sampled answers, which name brands by known rates
//	contents.go     searches, retrieved pages, products, ads and blocks of sampled answers
//	rates.go        these rates
//	phrases.go      the phrases of each language, from phrases/
package world

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"earshot/internal/geo"
)

// year is the year in titles and queries. It is fixed, since answers must not depend on
// the current date.
const year = "2026"

// maxSubject is the maximum number of characters of a prompt that an answer repeats.
const maxSubject = 80

// Compose answers a question. The answer depends only on the question.
func Compose(q Question) *Answer {
	if q.Sample != nil {
		return composeSampled(q)
	}
	c := newComposer(q)
	return c.compose(c.market)
}

func newComposer(q Question) *composer {
	d := throw(q)
	return composerOf(q, d, draw(d, brands, d.between(3, 5)))
}

// composerOf returns a composer whose answer may name these brands.
func composerOf(q Question, d dice, named []string) *composer {
	book := phrasesIn(q.Language)
	words := []string{"{subject}", subject(q.Prompt), "{place}", placeName(q, book.language), "{year}", year}
	for i, word := range []string{"{brand}", "{other}"} {
		if i < len(named) {
			words = append(words, word, named[i])
		}
	}
	return &composer{dice: d, book: book, q: q, purse: moneyOf(q.Country, book), named: named, words: strings.NewReplacer(words...)}
}

// compose composes the answer; market adds the products.
func (c *composer) compose(market func(*Answer)) *Answer {
	a := &Answer{Language: c.book.language}
	c.press(a)
	market(a)
	c.town(a)
	c.prose(a)
	a.Related = c.several(c.book.Related, 3)
	return a
}

// composer holds the values that the parts of one answer share.
type composer struct {
	dice

	book  *phrases
	q     Question
	purse money
	named []string // brands that the answer may name: 3 to 5, or the brands of a sample
	words *strings.Replacer
}

// one returns one of the phrases with its placeholders replaced.
func (c *composer) one(phrases []string) string { return c.words.Replace(pick(c.dice, phrases)) }

// several returns up to n of the phrases with their placeholders replaced.
func (c *composer) several(phrases []string, n int) []string {
	filled := draw(c.dice, phrases, n)
	for i := range filled {
		filled[i] = c.words.Replace(filled[i])
	}
	return filled
}

// host returns the host of a site in the question's country.
func (c *composer) host(word string) string {
	return "www." + word + "." + strings.ToLower(c.q.Country) + ".example"
}

// subject returns the prompt on one line, cut to maxSubject characters.
func subject(prompt string) string {
	s := strings.Join(strings.Fields(prompt), " ")
	if s == "" {
		return "…"
	}
	if utf8.RuneCountInString(s) > maxSubject {
		s = string([]rune(s)[:maxSubject-1]) + "…"
	}
	return s
}

// placeName returns the name of the question's place in the answer's language.
func placeName(q Question, lang string) string {
	name := q.Country
	if region, err := language.ParseRegion(q.Country); err == nil {
		if local := display.Regions(language.Make(lang)).Name(region); local != "" {
			name = local
		}
	}
	for _, state := range geo.States() {
		if state.Code == q.State {
			return state.Name + ", " + name
		}
	}
	return name
}
