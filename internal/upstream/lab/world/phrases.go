package world

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
)

// phrases are what can be said in one language. In curly braces are the words
// that a composer puts in: {subject} what was asked, {place} where from,
// {brand} and {other} brands, {year}.
type phrases struct {
	language string // BCP 47 base; the name of the file

	Intro    []string // opens the answer
	Context  []string // compares brands
	Heading  string   // above the list
	Item     []string // why a product is in the list, after its name
	Advice   []string
	Closing  []string
	Plain    []string // in place of citations when nothing was searched
	Queries  []string // searched for
	Nearby   []string // searched for on a map
	Related  []string
	Titles   []string // of pages about the subject
	Snippets []string
	Card     []string // above a group of products
	Tags     []string
	Summary  []string // of a product
	Shipping []string
	Used     string
	New      string
	AdTitle  []string
	AdText   []string
	Video    []string
	Trade    []string // kinds of businesses
	Hours    []string

	Sheet   struct{ Brand, Model, Weight, Warranty, Years string } // a product's data sheet
	Numbers struct{ Group, Point, Euros string }                   // how numbers and prices in euros are written
	Search  searchPhrases
}

// searchPhrases are what search pages say.
type searchPhrases struct {
	Labels    Labels
	Titles    []string // of pages, besides those that answers cite
	Sections  []string // of a site
	Questions []string
	Searches  []string
	Threads   []string
	Headlines []string
	Reports   []string  // how news articles begin
	Ago       [3]string // minutes, hours, days, with # for the number
	Months    string    // the twelve as dates show them, separated by spaces
	Date      string    // with D, M and Y
	Company   string
	About     string // a company
	Founded   string
	Seat      string
	Makes     string // what a company makes
}

// Labels are the headings of the blocks of a search page.
type Labels struct {
	Asked, Related, Sponsored, Overview, Places, Videos, Discussions, Products, About, Website string
	// Rated and Reviews describe a rating, with # for the number.
	Rated, Reviews string
	NoResults      string // with # for the query
	Next           string
}

// LabelsIn gives the labels in a language and that language, which is English
// if there are none.
func LabelsIn(language string) (labels Labels, name string) {
	book := phrasesIn(language)
	return book.Search.Labels, book.language
}

// files has one file for each language.
//
//go:embed phrases/*.json
var files embed.FS

// languages are the phrases by language.
var languages = sync.OnceValue(func() map[string]*phrases {
	books := map[string]*phrases{}
	names, err := fs.Glob(files, "phrases/*.json")
	for _, name := range names {
		language := strings.TrimSuffix(path.Base(name), ".json")
		book := &phrases{language: language}
		if err == nil {
			err = readPhrases(name, book)
		}
		books[language] = book
	}
	if err != nil {
		panic(fmt.Errorf("lab: %w", err)) // the files are part of the program
	}
	return books
})

func readPhrases(name string, book *phrases) error {
	text, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(book); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// phrasesIn gives the phrases of a language, or those of English if it has none.
func phrasesIn(language string) *phrases {
	if book, known := languages()[language]; known {
		return book
	}
	return languages()["en"]
}

// number puts n into a phrase.
func number(phrase string, n int) string { return strings.Replace(phrase, "#", strconv.Itoa(n), 1) }

func (p *searchPhrases) minutes(n int) string { return number(p.Ago[0], n) }
func (p *searchPhrases) hours(n int) string   { return number(p.Ago[1], n) }
func (p *searchPhrases) days(n int) string    { return number(p.Ago[2], n) }

// day is a date of the year as the language writes it.
func (p *searchPhrases) day(day, month int) string {
	name := strings.Fields(p.Months)[month-1]
	return strings.NewReplacer("D", strconv.Itoa(day), "M", name, "Y", year).Replace(p.Date)
}
