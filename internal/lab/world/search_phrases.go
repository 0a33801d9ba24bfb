package world

import (
	"fmt"
	"strings"
)

// Labels are what stands above the blocks of a search page.
type Labels struct {
	Asked, Related, Sponsored, Overview, Places, Videos, Discussions, Products, About, Website string
	// Rated and Reviews describe a rating, with # for the number.
	Rated, Reviews string
	NoResults      string // with # for the query
	Next           string
}

// searchPhrases are what search pages say in one language. In curly braces stand
// the same words as in phrases.
type searchPhrases struct {
	labels    Labels
	titles    []string // of pages, beside those that answers cite
	sections  []string // of a site
	questions []string
	searches  []string
	threads   []string
	headlines []string
	reports   []string  // what news articles begin with
	ago       [3]string // minutes, hours, days, with # for the number
	months    string    // the twelve, apart by spaces, as dates show them
	date      string    // with D, M and Y
	company   string
	about     string
	founded   string
	seat      string
	makes     string // what a company makes
}

// searchLanguages are the phrase books by BCP 47 base; each that has phrases has
// these too.
var searchLanguages = map[string]*searchPhrases{
	"en": &englishSearch,
	"de": &germanSearch,
	"fr": &frenchSearch,
	"es": &spanishSearch,
	"pt": &portugueseSearch,
	"it": &italianSearch,
	"nl": &dutchSearch,
	"ja": &japaneseSearch,
}

func searchPhrasesIn(language string) *searchPhrases { return searchLanguages[language] }

func (p *searchPhrases) minutes(n int) string { return number(p.ago[0], n) }
func (p *searchPhrases) hours(n int) string   { return number(p.ago[1], n) }
func (p *searchPhrases) days(n int) string    { return number(p.ago[2], n) }

// number puts n into a phrase.
func number(phrase string, n int) string { return strings.Replace(phrase, "#", fmt.Sprint(n), 1) }

// day is a date of the year as the language writes it.
func (p *searchPhrases) day(day, month int) string {
	name := strings.Fields(p.months)[month-1]
	return strings.NewReplacer("D", fmt.Sprint(day), "M", name, "Y", year).Replace(p.date)
}

// LabelsIn are the labels in a language and its name, English where there are
// none.
func LabelsIn(language string) (labels Labels, name string) {
	_, name = phrasesIn(language)
	return searchPhrasesIn(name).labels, name
}
