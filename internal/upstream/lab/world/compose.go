// Package world is the made-up world that the lab's sites talk about: brands,
// shops, magazines, places and what can be said of them in several languages.
// Compose puts an answer together from it; the sites turn that answer into the
// documents of their provider. Nothing in it is real: every name is invented
// and every address ends in .example.
//
// Everything is a pure function of the question, so the same question gets the
// same answer on every node and after every start. A question that has a Sample is
// one of many: then which brands are named differs from sample to sample.
//
//	answer.go       what an answer is made of
//	compose.go      an answer for a question
//	prose.go        its paragraphs, lists and citations
//	markdown.go     the same as Markdown
//	press.go        sources, videos and images
//	posts.go        posts in the social network
//	market.go       products, offers, ads and shops nearby
//	clusters.go     a given number of products, each with an id and a data sheet
//	search.go       what a web search finds
//	news.go         what a news search finds
//	dice.go         choices that depend on the question alone
//	money.go        prices as a country writes them
//	names.go        invented names
//	sample.go       one of many answers to a question, which names brands by known rates
//	rates.go        those rates
//	phrases.go      what is said in a language, from one file for each in phrases/
package world

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"earshot/internal/geo"
)

// year is the one in titles and queries. It is fixed, since answers must not depend
// on the day.
const year = "2026"

// maxSubject is how much of a prompt the answer repeats, in characters.
const maxSubject = 80

// Compose answers a question. The answer depends on nothing else.
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

// composerOf composes an answer that may name these brands.
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

// compose puts the answer together, with the shop window that market fills.
func (c *composer) compose(market func(*Answer)) *Answer {
	a := &Answer{Language: c.book.language}
	c.press(a)
	market(a)
	c.town(a)
	c.prose(a)
	a.Related = c.several(c.book.Related, 3)
	return a
}

// composer holds what the parts of one answer share.
type composer struct {
	dice

	book  *phrases
	q     Question
	purse money
	named []string // brands that the answer may name; 3 to 5, or those that were drawn
	words *strings.Replacer
}

// one gives one of the phrases with its words put in.
func (c *composer) one(phrases []string) string { return c.words.Replace(pick(c.dice, phrases)) }

// several gives up to n of the phrases with their words put in.
func (c *composer) several(phrases []string, n int) []string {
	filled := draw(c.dice, phrases, n)
	for i := range filled {
		filled[i] = c.words.Replace(filled[i])
	}
	return filled
}

// host is the address of a site in the question's country.
func (c *composer) host(word string) string {
	return "www." + word + "." + strings.ToLower(c.q.Country) + ".example"
}

// subject is the prompt on one line, cut to what an answer repeats.
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

// placeName is where the question comes from, in the answer's language.
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
