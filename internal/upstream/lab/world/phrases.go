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

// phrases are the phrases of one language. A composer replaces the placeholders {subject}
// (the prompt), {place} (of the question), {brand}, {other} (another brand) and {year}.
type phrases struct {
	language string // BCP 47 base, and the name of the file

	Intro    []string // opens the answer
	Context  []string // compares brands
	Heading  string   // above the list
	Item     []string // why a product is in the list, after its name
	Advice   []string
	Closing  []string
	Plain    []string // replaces citations if the assistant did not search
	Queries  []string // web searches
	Nearby   []string // map searches
	Related  []string
	Titles   []string // titles of pages about the subject
	Snippets []string
	Card     []string // above a group of products
	Tags     []string
	Summary  []string // description of a product
	Shipping []string
	Used     string
	New      string
	AdTitle  []string
	AdText   []string
	Video    []string
	Trade    []string // kinds of businesses
	Hours    []string

	Sheet   struct{ Brand, Model, Weight, Warranty, Years string } // a product's data sheet
	Numbers struct{ Group, Point, Euros string }                   // format of numbers and of prices in euros
	Search  searchPhrases
}

// searchPhrases are the phrases on search pages.
type searchPhrases struct {
	Labels    Labels
	Titles    []string // further titles of pages
	Sections  []string // titles of a site's sections
	Questions []string
	Searches  []string
	Threads   []string
	Headlines []string
	Reports   []string  // first sentences of news articles
	Ago       [3]string // minutes, hours, days; # is the number
	Months    string    // names of the twelve months in dates, separated by spaces
	Date      string    // contains D, M and Y
	Company   string
	About     string // description of a company
	Founded   string
	Seat      string
	Makes     string // label for the products of a company
}

// Labels are the headings of the blocks of a search page.
type Labels struct {
	Asked, Related, Sponsored, Overview, Places, Videos, Discussions, Products, About, Website string
	// Rated and Reviews describe a rating; # is the number.
	Rated, Reviews string
	NoResults      string // # is the query
	Next           string
}

// LabelsIn returns the labels in a language and the name of the language. If there are no
// labels in that language, it returns English ones.
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

// phrasesIn returns the phrases of a language, or the English phrases if it has none.
func phrasesIn(language string) *phrases {
	if book, known := languages()[language]; known {
		return book
	}
	return languages()["en"]
}

// number replaces # in a phrase by n.
func number(phrase string, n int) string { return strings.Replace(phrase, "#", strconv.Itoa(n), 1) }

func (p *searchPhrases) minutes(n int) string { return number(p.Ago[0], n) }
func (p *searchPhrases) hours(n int) string   { return number(p.Ago[1], n) }
func (p *searchPhrases) days(n int) string    { return number(p.Ago[2], n) }

// day returns a date in the format of the language.
func (p *searchPhrases) day(day, month int) string {
	name := strings.Fields(p.Months)[month-1]
	return strings.NewReplacer("D", strconv.Itoa(day), "M", name, "Y", year).Replace(p.Date)
}
