// Package answer puts answers together from what the readers of documents find:
// sources and the pills that point at them, products, places and the like.
//
//	blocks.go   text with citations between
//	sources.go  sources without duplicates, citations, posts of social networks
//	things.go   products, places and videos out of JSON
package answer

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Want is what a reader needs to know besides the document.
type Want struct {
	Country  string // where it was asked from, which tells currencies apart
	Markdown bool   // whether the answer is wanted as Markdown too
}

// FromAPI notes that an answer was read from a document of an official API.
func FromAPI(a *earshot.Answer, err error) (*earshot.Answer, error) {
	if a != nil {
		a.Surface = earshot.SurfaceAPI
	}
	return a, err
}

// Sources collects what an answer cites: each page once, numbered in the order
// of its first mention, and the pills that point at them. The zero value is
// ready to use.
type Sources struct {
	list  []earshot.Source
	at    map[string]int // index in list by key
	pills []earshot.CitationPill
	chips int
}

// Citation is one source of a chip, with the name that the chip shows.
type Citation struct {
	Source earshot.Source
	Label  string
}

// Add notes a source and returns its position. Its URL must be a destination.
// Of a page that is known already, it fills in what was missing.
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

// Empty tells whether there is no source yet.
func (s *Sources) Empty() bool { return len(s.list) == 0 }

// Known tells whether the page is one of the sources.
func (s *Sources) Known(link string) bool {
	_, known := s.at[pageKey(link)]
	return known
}

// pageKey is the address without what points at a sentence of the same page.
func pageKey(link string) string {
	page, _, _ := strings.Cut(link, "#:~:")
	return page
}

// Chip notes a chip with its sources. A source that a chip names twice counts
// once.
func (s *Sources) Chip(citations []Citation) {
	if len(citations) == 0 {
		return
	}
	s.chips++
	id := "pill-" + strconv.Itoa(s.chips)
	first := len(s.pills)
	for _, c := range citations {
		position := s.Add(c.Source)
		if containsPosition(s.pills[first:], position) {
			continue
		}
		s.pills = append(s.pills, earshot.CitationPill{
			CitationPillID: id, Position: position, Label: c.Label,
		})
	}
}

func containsPosition(pills []earshot.CitationPill, position int) bool {
	for _, pill := range pills {
		if pill.Position == position {
			return true
		}
	}
	return false
}

// Fill writes sources and pills into the answer. A source without a title is
// named as its pill is, or by its domain.
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

// maxChips is how many chips of an answer are noted; real answers have up to
// some hundred.
const maxChips = 1000

// Cite notes a chip and gives what stands for it: nothing in plain text, links
// in parentheses in Markdown.
func (s *Sources) Cite(citations []Citation) mdtext.Replacement {
	if len(citations) == 0 || s.chips >= maxChips {
		return mdtext.Gone
	}
	s.Chip(citations)
	links := make([]string, len(citations))
	for i, c := range citations {
		links[i] = mdtext.WriteLink(c.Label, c.Source.URL)
	}
	return mdtext.Replacement{Text: webtext.Mark, Markdown: " (" + strings.Join(links, ", ") + ")"}
}

// statusPath is the path of a post of X. "i" and "i/web" stand for an author who
// is not named.
var statusPath = regexp.MustCompile(`^/(?:i|i/web|([^/]+))/status/([0-9]+)`)

// PostAt is the post of a social network that an address leads to, as far as the
// address tells, and its id there; nil and "" for any other address.
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
