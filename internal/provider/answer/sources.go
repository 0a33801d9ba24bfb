// Package answer builds answers from what the document readers find: sources, the citation pills
// that refer to them, products, places and so on.
//
// A chip is one citation mark in the text. It cites one or more sources; each of them becomes one
// citation pill in the answer.
//
//	blocks.go   text with citations between its parts
//	sources.go  sources without duplicates, citations, posts of social networks
//	things.go   products, places and videos from JSON
package answer

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Options says what a reader needs to know in addition to the document.
type Options struct {
	Country  string // where the question was asked from; decides what an ambiguous currency sign means
	Markdown bool   // whether to return the answer as Markdown, too
	// USD is set to what the document says that the answer cost, also if it is no answer; it may be
	// nil.
	USD *float64
}

// maxUSD is the largest cost in USD that is believed.
const maxUSD = 1000

// Cost records what the answer cost in USD. A negative or an absurd cost is ignored.
func (o Options) Cost(usd *float64) {
	if o.USD != nil && usd != nil && *usd > 0 && *usd <= maxUSD {
		*o.USD = *usd
	}
}

// FromAPI marks an answer as read from a document of an official API.
func FromAPI(a *earshot.Answer, err error) (*earshot.Answer, error) {
	if a != nil {
		a.Surface = earshot.SurfaceAPI
	}
	return a, err
}

// NotEmpty returns the answer, or a failure if the answer has no text.
func NotEmpty(a *earshot.Answer, err error) (*earshot.Answer, error) {
	if err != nil {
		return nil, err
	}
	if a.Text == "" {
		return nil, upstream.Fail(earshot.ReasonEmpty, "the answer has no text")
	}
	return a, nil
}

// Settled returns the error of reading an answer of an official API. An answer without a text is
// final: the API reported success, and asking again would cost as much again.
func Settled(err error) error {
	if failure, ok := errors.AsType[*upstream.Failure](err); ok && failure.Reason == earshot.ReasonEmpty {
		failure.Final = true
	}
	return err
}

// ModelName returns the name of a model for an answer, or nil for "".
func ModelName(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// WithoutThoughts removes the thoughts that reasoning models put before the text.
func WithoutThoughts(text string) string {
	thoughts, ok := strings.CutPrefix(strings.TrimLeft(text, " \r\n\t"), "<think>")
	if !ok {
		return text
	}
	_, said, _ := strings.Cut(thoughts, "</think>")
	return said
}

// Sources collects the pages that an answer cites, numbered in the order of their first mention and
// without duplicates, and the pills that refer to them. The zero value is ready to use.
type Sources struct {
	list  []earshot.Source
	at    map[string]int // index in list by pageKey
	pills []earshot.CitationPill
	chips int
}

// Citation is one source of a chip, with the label that the chip shows.
type Citation struct {
	Source earshot.Source
	Label  string
}

// Add adds a source and returns its position. The source's URL must come from
// webtext.Destination. For a page that is already a source, Add fills in missing fields.
func (s *Sources) Add(source earshot.Source) int {
	key := pageKey(source.URL)
	i, known := s.at[key]
	if !known {
		if s.at == nil {
			s.at = map[string]int{}
		}
		i = len(s.list)
		s.at[key] = i
		s.list = append(s.list, earshot.Source{URL: source.URL, Position: i + 1, Domain: webtext.Domain(source.URL)})
	}
	old := &s.list[i]
	old.Label = cmp.Or(old.Label, source.Label)
	old.Description = cmp.Or(old.Description, source.Description)
	old.DatePublished = cmp.Or(old.DatePublished, source.DatePublished)
	old.RedirectLink = cmp.Or(old.RedirectLink, source.RedirectLink)
	old.Post = cmp.Or(old.Post, source.Post)
	return i + 1
}

// Empty reports whether there are no sources yet.
func (s *Sources) Empty() bool { return len(s.list) == 0 }

// Known reports whether the page is a source.
func (s *Sources) Known(link string) bool {
	_, known := s.at[pageKey(link)]
	return known
}

// pageKey returns the address without a text fragment, which points at a sentence of the same page.
func pageKey(link string) string {
	page, _, _ := strings.Cut(link, "#:~:")
	return page
}

// Chip records a chip and adds its sources. A source that the chip cites twice counts once.
func (s *Sources) Chip(citations []Citation) {
	if len(citations) == 0 {
		return
	}
	s.chips++
	id := "pill-" + strconv.Itoa(s.chips)
	first := len(s.pills)
	for _, c := range citations {
		position := s.Add(c.Source)
		if !slices.ContainsFunc(s.pills[first:], func(pill earshot.CitationPill) bool { return pill.Position == position }) {
			s.pills = append(s.pills, earshot.CitationPill{CitationPillID: id, Position: position, Label: c.Label})
		}
	}
}

// Fill writes sources and pills into the answer. A source without a title gets the label of its
// pill, or else its domain.
func (s *Sources) Fill(a *earshot.Answer) {
	for i := range s.pills {
		pill := &s.pills[i]
		source := &s.list[pill.Position-1]
		pill.Label = cmp.Or(pill.Label, source.Label, source.Domain)
		source.Label = cmp.Or(source.Label, pill.Label)
		pill.URL, pill.Domain = source.URL, source.Domain
		pill.Description, pill.RedirectLink = source.Description, source.RedirectLink
	}
	for i := range s.list {
		s.list[i].Label = cmp.Or(s.list[i].Label, s.list[i].Domain)
	}
	a.Sources, a.CitationPills = s.list, s.pills
}

// maxChips limits the recorded chips of an answer; real answers have up to a few hundred.
const maxChips = 1000

// Cite records a chip and returns its replacement in the text: nothing in plain text, links in
// parentheses in Markdown.
func (s *Sources) Cite(citations []Citation) mdtext.Replacement {
	if len(citations) == 0 || s.chips >= maxChips {
		return mdtext.Removed
	}
	s.Chip(citations)
	links := make([]string, len(citations))
	for i, c := range citations {
		links[i] = mdtext.WriteLink(c.Label, c.Source.URL)
	}
	return mdtext.Replacement{Text: webtext.Mark, Markdown: " (" + strings.Join(links, ", ") + ")"}
}

// statusPath matches the path of a post on X. "i" and "i/web" take the place of an unnamed author.
var statusPath = regexp.MustCompile(`^/(?:i|i/web|([^/]+))/status/([0-9]+)`)

// PostAt returns the social network post that a link leads to, as far as the link describes it, and
// the post's id. It returns nil and "" for any other link.
func PostAt(link string) (post *earshot.Post, id string) {
	u, err := url.Parse(link)
	if err != nil {
		return nil, ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	switch strings.TrimPrefix(host, "mobile.") {
	case "x.com", "twitter.com":
	default:
		return nil, ""
	}
	found := statusPath.FindStringSubmatch(u.Path)
	if found == nil {
		return nil, ""
	}
	return &earshot.Post{Platform: "x", Author: found[1]}, found[2]
}
