package world

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
)

// Model is the model that every answer of the lab claims to be from.
const Model = "lab-1"

// Question is a prompt with its place and language.
type Question struct {
	Prompt    string  // without steering words
	Country   string  // alpha-2, upper case
	State     string  // US state, or ""
	Language  string  // BCP 47 base such as "de"
	Search    bool    // the assistant may search the web
	Assistant string  // each assistant gives different answers
	Sample    *Sample // nil if the answer is not sampled
}

// Answer is the answer to a question.
type Answer struct {
	Language   string
	Blocks     []Block
	Sources    []Source
	Queries    []string // web searches
	MapQueries []string // map searches
	Related    []string
	Places     []Place
	Videos     []Video
	Images     []string
	Cards      []Card
	Inline     []Product // products that spans refer to
	Ads        []Ad
}

// BlockKind is the kind of a block.
type BlockKind int

// The kinds of blocks.
const (
	Paragraph BlockKind = iota // one line
	Heading                    // one line
	Bullets                    // a line for each item
	Numbered                   // a line for each item
)

// Block is a paragraph, a heading or a list.
type Block struct {
	Kind  BlockKind
	Lines []Line
}

// Line is a line of text with markup.
type Line []Span

// Span is a piece of a line. At most one of Strong, Brand, Product and Cites
// is set.
type Span struct {
	Text    string
	Strong  bool
	Brand   bool     // Text is a brand
	Product *Product // one of Answer.Inline, and Text is its title
	Cites   []Source // a chip that links to these sources; Text is empty
}

// Source is a page that an answer cites.
type Source struct {
	URL       string
	Title     string
	Site      string // the name of the site
	Snippet   string
	Published string // yyyy-mm-dd, or ""
}

// Place is a business with an address.
type Place struct {
	Name, Address, Category, Phone, Website, Hours string
	PriceLevel                                     string
	Rating                                         Rating
	Latitude, Longitude                            float64
}

// Rating is the average rating by customers, as numbers and as displayed.
type Rating struct {
	Stars                    float64
	Reviews                  int
	StarsShown, ReviewsShown string
}

// Video is a video about the subject.
type Video struct {
	Title, URL, Platform, Channel, Duration, Date, Thumbnail string
}

// Card is a titled group of products.
type Card struct {
	Title    string
	Tags     []string
	Products []Product
}

// Product is something on sale. Prices are as displayed; OldPrice may be "".
type Product struct {
	ID, Title, URL, Description string
	Price, OldPrice, Merchant   string
	Rating                      Rating
	Images                      []string
	Tag                         string
	Offers                      []Offer
	Specifications              []Specification // only for clusters
}

// Offer is one merchant's price for a product.
type Offer struct {
	Merchant, URL, Price, Shipping, Condition string
	Available                                 bool
}

// Ad is a paid placement. A shopping ad has a Price; a text ad has none.
type Ad struct {
	Title, URL, Description, Brand string
	Price, Merchant, Image         string
}

// Footnote returns the number of a source in the answer's list, counted from 1, or 0 if
// the list does not contain it.
func (a *Answer) Footnote(s Source) int {
	for i, known := range a.Sources {
		if known.URL == s.URL {
			return i + 1
		}
	}
	return 0
}

// Identity returns an id that looks like the id of a conversation. It depends only on the
// prompt and the answer.
func Identity(prompt string, a *Answer) string {
	h := fnv.New128a()
	_, _ = fmt.Fprint(h, prompt, a.Language, a.Sources, a.Cards) // writing to a hash cannot fail
	sum := h.Sum(nil)
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:])
}

// Tracked returns a link as the site shows it: with the site as utm_source.
func Tracked(link, site string) string {
	if !strings.ContainsAny(link, "?#") {
		return link + "?utm_source=" + site
	}
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	query := u.Query()
	query.Set("utm_source", site)
	u.RawQuery = query.Encode()
	return u.String()
}
