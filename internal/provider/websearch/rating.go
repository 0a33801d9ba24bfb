package websearch

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// isLabelled reports whether the element is an image with a label, such as stars with the rating or
// an icon for delivery.
func isLabelled(n *html.Node) bool {
	return markup.Attr(n, "role") == "img" && markup.HasAttr(n, "aria-label")
}

// ratingIn reads the first rating in the element, and the number of reviews if it follows.
func ratingIn(n *html.Node) (stars *float64, reviews *int) {
	var r ratingReader
	r.read(n)
	return r.stars, r.reviews
}

// ratingReader reads visible elements in document order until it has a rating and the text after it.
type ratingReader struct {
	stars   *float64
	reviews *int
	maybe   *float64 // stars only if the number of reviews follows
	open    bool     // after an opening parenthesis
	done    bool
}

func (r *ratingReader) read(n *html.Node) {
	for child := n.FirstChild; child != nil && !r.done; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			r.text(webtext.ASCIIDigits(webtext.Line(child.Data)))
		case child.Type == html.ElementNode && !markup.Unseen(child):
			if r.stars == nil && isLabelled(child) {
				r.label(webtext.ASCIIDigits(markup.Attr(child, "aria-label")))
			}
			r.read(child)
		}
	}
}

// decimal matches a number with or without a fraction.
var decimal = regexp.MustCompile(`\d+(?:[.,]\d+)?`)

// maxStars is the number of stars of the best rating.
const maxStars = 5

// label reads the label of an image: "Rated 4.5 out of 5", "4,5 von 5", "5つ星のうち4.5". Stars have a
// fraction; "3 of 5" can also be the position in a row of images.
func (r *ratingReader) label(text string) {
	numbers := decimal.FindAllStringIndex(text, 4)
	for i := range len(numbers) - 1 {
		first, second := text[numbers[i][0]:numbers[i][1]], text[numbers[i+1][0]:numbers[i+1][1]]
		if first == "5" {
			first, second = second, first
		}
		between := text[numbers[i][1]:numbers[i+1][0]]
		value := webtext.Decimal(first)
		if second != "5" || value == nil || *value > maxStars || between != "/" && !strings.ContainsFunc(between, unicode.IsLetter) {
			continue
		}
		r.reviews = webtext.Count(text[numbers[i+1][1]:])
		if strings.ContainsAny(first, ".,") || r.reviews != nil {
			r.stars = value
		}
		r.maybe = value
		return
	}
}

// ratingText matches a rating without a label, the number of reviews, or both: "4.5 (1.2K)".
var ratingText = regexp.MustCompile(`^([0-5][.,]\d)?\s*(?:\((\d[^()]*)\))?$`)

// text reads the next text. The number of reviews comes right after the stars.
func (r *ratingReader) text(line string) {
	if r.open {
		line = "(" + line + ")"
	}
	r.open = line == "("
	if !hasWords(line) {
		return
	}
	found := ratingText.FindStringSubmatch(line)
	if found == nil {
		r.maybe, r.done = nil, r.stars != nil
		return
	}
	if found[1] != "" {
		r.maybe = webtext.Decimal(found[1])
	}
	if stars := cmp.Or(r.stars, r.maybe); found[2] != "" && stars != nil {
		r.stars, r.reviews, r.done = stars, cmp.Or(webtext.Count(found[2]), r.reviews), true
	}
}
