package websearch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// readRich reads what the result shows besides its title, address and snippet. others are the marked
// parts of the result except for the snippet.
func (r *reader) readRich(found *earshot.OrganicResult, t title, block *html.Node, others []*html.Node) {
	found.Author = siteAuthor(t, found.DisplayedLink)
	var stars []*html.Node
	for _, n := range markup.FindAll(block, func(n *html.Node) bool { return n == t.link || n.DataAtom == atom.Img || isStars(n) || isMoment(n) }) {
		switch {
		case n == t.link:
			if icon := markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.Img }); icon != nil {
				found.Favicon = r.pictures.Icon(icon)
			}
		case n.DataAtom == atom.Img:
			found.Thumbnail = cmp.Or(found.Thumbnail, r.pictures.Of(n))
		case isStars(n):
			stars = append(stars, n)
		default:
			r.addMoment(found, n)
		}
	}
	if len(stars) == 1 { // several belong to the things that the result lists
		readFacts(found, ratingLine(stars[0], block), stars[0])
	}
	for _, part := range others {
		if isFacts(part) && markup.Find(part, isStars) == nil {
			for _, line := range serp.Lines(part) {
				readFacts(found, line, nil)
			}
		}
	}
}

// siteAuthor returns the author next to the name of the site, above the address: "Site · Author".
func siteAuthor(t title, shown string) string {
	for _, line := range serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading || n.DataAtom == atom.Cite }) {
		if _, author, found := strings.Cut(line, "·"); found && line != shown {
			return strings.TrimSpace(author)
		}
	}
	return ""
}

// isStars reports whether the element shows a rating as stars.
func isStars(n *html.Node) bool {
	return isLabelled(n) && decimal.MatchString(markup.Attr(n, "aria-label"))
}

// ratingLine returns the text on the line of the stars, without the stars and the note that a click
// opens.
func ratingLine(stars, block *html.Node) string {
	line := stars.Parent
	for line != block && line.DataAtom != atom.Div {
		line = line.Parent
	}
	return strings.Join(serp.LinesBut(line, func(n *html.Node) bool { return isStars(n) || n.Data == "g-bubble" }), " ")
}

// isFacts reports whether a part of a result has only facts, each in an element of its own. Other
// parts are links, lists, tables, or words of the query that the page lacks.
func isFacts(part *html.Node) bool {
	return markup.Find(part, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.A, atom.S, atom.Table, atom.Ul, atom.Ol, atom.Li, atom.Button:
			return true
		case atom.Div:
			for text := n.FirstChild; text != nil; text = text.NextSibling {
				if text.Type == html.TextNode && hasWords(text.Data) {
					return true
				}
			}
		default:
		}
		return markup.Attr(n, "role") == "button"
	}) == nil
}

const (
	maxDetail  = 60  // characters of a fact
	maxDetails = 200 // characters of a line of facts
	maxRating  = 10
)

var (
	scale    = regexp.MustCompile(`^/\d+`)                                     // in "8.7/10"
	inParens = regexp.MustCompile(`^\d[\d.,]*[KkM]?$|\(\d[\d.,]*[KkM]?\+?\)$`) // the number of reviews after the rating
)

// readFacts reads a line of facts that are separated by dots: the rating, the number of reviews, the
// price, and others. stars is the element with the stars on the line, or nil.
func readFacts(found *earshot.OrganicResult, line string, stars *html.Node) {
	if utf8.RuneCountInString(line) > maxDetails || line == found.Date {
		line = ""
	}
	var facts []string
	for fact := range strings.SplitSeq(line, "·") {
		if fact = strings.TrimSpace(fact); fact != "" {
			facts = append(facts, fact)
		}
	}
	if slices.ContainsFunc(facts, func(fact string) bool { return utf8.RuneCountInString(fact) > maxDetail }) {
		facts = nil
	}
	if stars != nil {
		facts = readRating(found, facts, stars)
	}
	for _, fact := range facts {
		if found.Price == "" && onlyPrice.MatchString(fact) && hasPrice(fact) {
			found.Price = fact
		} else {
			found.Details = append(found.Details, fact)
		}
	}
}

// readRating reads the rating and the number of reviews, and returns the other facts. The displayed
// rating is more precise than the stars.
func readRating(found *earshot.OrganicResult, facts []string, stars *html.Node) []string {
	found.Rating, _ = ratingIn(stars.Parent)
	if len(facts) == 0 {
		return nil
	}
	if at := decimal.FindStringIndex(facts[0]); at != nil {
		if value := webtext.Decimal(facts[0][at[0]:at[1]]); value != nil && *value <= maxRating {
			found.Rating = value
		}
		if rest := strings.TrimSpace(scale.ReplaceAllString(facts[0][at[1]:], "")); inParens.MatchString(rest) {
			found.Reviews = webtext.Count(strings.TrimSuffix(rest, ")"))
		}
		facts = facts[1:]
	}
	if found.Reviews == nil && len(facts) > 0 && counted.MatchString(facts[0]) {
		found.Reviews = webtext.Count(facts[0])
		facts = facts[1:]
	}
	return facts
}

const amount = `(?:\p{Lu}{1,3}\s?)?(?:\p{Sc}\s?)?\d[\d.,'\s\x{a0}\x{202f}]*(?:\p{Sc}|円|zł|kr\.?|Kč|Ft|лв|руб\.?|\p{Lu}{3})?`

// onlyPrice matches a price or a range of prices without a word about their purpose, such as
// "delivery".
var onlyPrice = regexp.MustCompile(`^` + amount + `(?:\s?(?:[-–—~]|\pL{1,3})\s?` + amount + `)?$`)

// isMoment reports whether the element is a link to a moment of a video.
func isMoment(n *html.Node) bool {
	return markup.IsLink(n) && (markup.HasAttr(n, "data-time") || strings.Contains(markup.Attr(n, "href"), "&t="))
}

var clock = regexp.MustCompile(`\d{1,2}(:\d{2}){1,2}$`)

// addMoment reads a key moment of a video: the time, with or without a word before it, and a title.
func (r *reader) addMoment(found *earshot.OrganicResult, n *html.Node) {
	lines := serp.Lines(n)
	if len(lines) < 2 || !clock.MatchString(lines[0]) || len(found.KeyMoments) >= maxTitles {
		return
	}
	link, _, _ := r.links.Read(markup.Attr(n, "href"))
	at := strings.TrimPrefix(clock.FindString(lines[0]), "0") // "02:31" is 2:31
	if strings.HasPrefix(at, ":") {
		at = "0" + at
	}
	moment := earshot.KeyMoment{Title: lastOf(lines), Time: at, Link: link}
	if !slices.Contains(found.KeyMoments, moment) { // the page has a copy for another view
		found.KeyMoments = append(found.KeyMoments, moment)
	}
}
