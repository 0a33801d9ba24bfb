package world

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
)

// Model is the model that every answer of the lab claims to be from.
const Model = "lab-1"

// Question is what somebody asks, and where from.
type Question struct {
	Prompt    string  // without steering words
	Country   string  // alpha-2, upper case
	State     string  // of the US, or ""
	Language  string  // BCP 47 base such as "de"
	Search    bool    // whether the assistant may search the web
	Assistant string  // who is asked; each has views of its own
	Sample    *Sample // nil for the one answer that a question has
}

// Answer is what the world has to say to a question.
type Answer struct {
	Language   string
	Blocks     []Block
	Sources    []Source
	Queries    []string // that were searched for
	MapQueries []string // that were searched for on a map
	Related    []string
	Places     []Place
	Videos     []Video
	Images     []string
	Cards      []Card
	Inline     []Product // that Spans refer to
	Ads        []Ad
}

// BlockKind says how a block's lines are set.
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

// Line is text with what is marked in it.
type Line []Span

// Span is a piece of a line. At most one of Strong, Brand, Product and Cites
// is set.
type Span struct {
	Text    string
	Strong  bool
	Brand   bool     // Text is a brand
	Product *Product // Text is its title; one of Answer.Inline
	Cites   []Source // a chip for these, without Text
}

// Source is a page that an answer cites.
type Source struct {
	URL       string
	Title     string
	Site      string // the name that the site gives itself
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

// Rating is what customers say, as numbers and as displayed.
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
	Specifications              []Specification // only of clusters
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

// Footnote is the number of a source in the answer's list, counting from 1, or 0
// if the source is not on it.
func (a *Answer) Footnote(s Source) int {
	for i, known := range a.Sources {
		if known.URL == s.URL {
			return i + 1
		}
	}
	return 0
}

// Identity looks like the id of a conversation and depends on the question
// alone.
func Identity(prompt string, a *Answer) string {
	h := fnv.New128a()
	_, _ = fmt.Fprint(h, prompt, a.Language, a.Sources, a.Cards) // a hash takes everything
	sum := h.Sum(nil)
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:])
}

// Tracked is a link as the site of that name shows it: with the name added, so
// that the destination can tell where its visitors come from.
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
