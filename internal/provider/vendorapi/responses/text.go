package responses

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// A citation in the text is a link in parentheses, a link whose label is a number in brackets, or a
// mark of private-use characters. Consecutive marks are one chip. A bare link is part of the
// sentence, even if it is also cited.
const (
	privateStart = "\ue200"

	label     = `\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]`
	address   = `\([ \t]*<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:[ \t]+"[^"\n]*")?[ \t]*\)`
	link      = label + address
	between   = `[ \t]*[,;]?[ \t]*`
	bracketed = `\(` + link + `(?:` + between + link + `)*\)`
	numbered  = `\[\[[0-9]{1,4}\]\]` + address
	private   = privateStart + "[^\ue200\ue201]*\ue201"
	mark      = `(?:` + bracketed + `|` + numbered + `|` + private + `)`
	marks     = mark + `(?:` + between + mark + `)*`
	markFirst = "([\xee" // the possible first bytes of a mark
)

var (
	anyLink  = regexp.MustCompile(link)
	bareLink = regexp.MustCompile(`^` + link)
	chip     = regexp.MustCompile(`^` + marks)
	numeral  = regexp.MustCompile(`^\[?[0-9]+\]?$`)
)

// maxAnnotations limits the annotations that are read of a part; real answers have up to a few
// hundred.
const maxAnnotations = 1000

// maxLabel limits the length of a link's label, in bytes; a title has up to a few hundred.
const maxLabel = 1000

// Text reads a text with annotations as this family of APIs has them. It returns the text without
// its marks, and the pages that it cites.
func Text(text string, annotations []loosejson.Object) (mdtext.Replacement, answer.Sources) {
	r := reader{titles: map[string]string{}}
	r.annotated(text, annotations)
	return r.whole(), r.sources
}

// text reads a part of the text and replaces the marks in it by chips.
func (r *reader) text(part loosejson.Object) {
	r.annotated(loosejson.AsText(part["text"]), part.Objects("annotations"))
}

func (r *reader) annotated(text string, annotations []loosejson.Object) {
	text = strings.ToValidUTF8(text[:min(len(text), webtext.MaxText-r.length)], "")
	if strings.TrimSpace(text) == "" {
		return
	}
	r.length += len(text)
	placed, elsewhere := r.annotations(text, annotations)
	c := citer{reader: r, text: text, placed: placed, labelEnd: -1}
	if len(placed) > 0 {
		c.marked = markedPages(text)
	}
	r.texts = append(r.texts, mdtext.Rewrite(text, markFirst, c.read))
	c.passAnnotations(len(text))
	for _, page := range elsewhere {
		r.sources.Add(r.page(page, ""))
	}
}

// annotation says that a range of the text, in bytes, is based on a page.
type annotation struct {
	start, end int
	page       string
}

// annotations returns the annotations that have a valid position in the text, sorted by position,
// and the pages of the others.
func (r *reader) annotations(text string, list []loosejson.Object) (placed []annotation, elsewhere []string) {
	if len(list) == 0 {
		return nil, nil
	}
	var offsets []int // byte offset of each character; positions count characters
	for i := range text {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(text))
	for _, a := range list[:min(len(list), maxAnnotations)] {
		page, ok := a.Destination(ownSources, "url")
		if !ok {
			continue
		}
		if title := a.Text("title"); !numeral.MatchString(title) {
			r.titles[page] = cmp.Or(r.titles[page], title)
		}
		start, end := a.Count("start_index"), a.Count("end_index")
		if start == nil || end == nil || *start < 0 || *end < *start || *start >= len(offsets) {
			elsewhere = append(elsewhere, page)
			continue
		}
		placed = append(placed, annotation{offsets[*start], offsets[min(*end, len(offsets)-1)], page})
	}
	slices.SortStableFunc(placed, func(a, b annotation) int { return cmp.Compare(a.start, b.start) })
	return placed, elsewhere
}

// markedPages returns the pages that marks in the text link to.
func markedPages(text string) map[string]bool {
	pages, c := map[string]bool{}, citer{text: text, labelEnd: -1}
	mdtext.Rewrite(text, markFirst, func(rest string) (mdtext.Replacement, int) {
		if !c.mayBegin(len(text) - len(rest)) {
			return mdtext.Replacement{}, 0
		}
		found := chip.FindString(rest)
		for _, link := range anyLink.FindAllStringSubmatch(found, -1) {
			if page, ok := webtext.Destination(link[2], nil, ownSources); ok {
				pages[page] = true
			}
		}
		return mdtext.Replacement{}, len(found)
	})
	return pages
}

// citer finds the chips in a text, from beginning to end.
type citer struct {
	reader *reader
	text   string
	placed []annotation // annotations not reached yet
	marked map[string]bool
	// labelEnd is where the next link label ends, or -1 if not searched yet.
	labelEnd int
}

// read returns the replacement for the mark or link at the start of rest, and its length. The
// length is 0 if there is none.
func (c *citer) read(rest string) (shown mdtext.Replacement, length int) {
	at := len(c.text) - len(rest)
	if !c.mayBegin(at) {
		return mdtext.Replacement{}, 0
	}
	if found := chip.FindString(rest); found != "" {
		c.passAnnotations(at)
		citations, cited := c.links(found)
		for _, page := range c.take(at + len(found)) {
			cited = true
			if !c.marked[page] {
				citations = append(citations, c.reader.citation(page, ""))
			}
		}
		if cited {
			return c.reader.sources.Cite(citations), len(found)
		}
		return mdtext.Replacement{Text: found, Markdown: found}, len(found)
	}
	found := bareLink.FindString(rest)
	if found != "" {
		c.passAnnotations(at)
		c.addHiddenChip(c.take(at + len(found)))
	}
	return mdtext.Replacement{Text: found, Markdown: found}, len(found)
}

// mayBegin reports whether a mark or link may begin at a position. It is much cheaper than
// searching for one.
func (c *citer) mayBegin(at int) bool {
	if c.text[at] == privateStart[0] {
		return true
	}
	if c.labelEnd < at {
		c.labelEnd = len(c.text)
		if next := strings.Index(c.text[at:], "]("); next >= 0 {
			c.labelEnd = at + next
		}
	}
	return c.labelEnd-at <= maxLabel && c.labelEnd < len(c.text)
}

// links returns the citations of a chip's marks. cited reports whether they are certainly
// citations, without an annotation at this position.
func (c *citer) links(chip string) (citations []answer.Citation, cited bool) {
	cited = strings.Contains(chip, privateStart)
	for _, found := range anyLink.FindAllStringSubmatch(chip, -1) {
		page, ok := webtext.Destination(found[2], nil, ownSources)
		if !ok {
			continue
		}
		name := mdtext.Flatten(found[1])
		_, annotated := c.reader.titles[page]
		if numeral.MatchString(name) {
			name, annotated = "", true
		}
		cited = cited || annotated || name == webtext.Domain(page)
		citations = append(citations, c.reader.citation(page, name))
	}
	return citations, cited
}

// passAnnotations records the annotations of text that ends before a position and has no mark.
func (c *citer) passAnnotations(place int) {
	for len(c.placed) > 0 && c.placed[0].end <= place {
		var pages []string
		for end := c.placed[0].end; len(c.placed) > 0 && c.placed[0].end == end; c.placed = c.placed[1:] {
			if page := c.placed[0].page; !c.marked[page] {
				pages = append(pages, page)
			}
		}
		c.addHiddenChip(pages)
	}
}

// take removes and returns the pages of the annotations that begin before a position.
func (c *citer) take(place int) []string {
	var pages []string
	for ; len(c.placed) > 0 && c.placed[0].start < place; c.placed = c.placed[1:] {
		pages = append(pages, c.placed[0].page)
	}
	return pages
}

// addHiddenChip records a chip that the text does not show.
func (c *citer) addHiddenChip(pages []string) {
	citations := make([]answer.Citation, len(pages))
	for i, page := range pages {
		citations[i] = c.reader.citation(page, "")
	}
	c.reader.sources.Chip(citations)
}

// citation returns the page with the label that its chip shows.
func (r *reader) citation(page, name string) answer.Citation {
	source := r.page(page, "")
	if source.Post != nil {
		name = source.Label
	}
	return answer.Citation{Source: source, Label: name}
}

// page returns the source at a URL. Its label is the title from an annotation, or else the given
// title. Posts of the social network are recognised by their URL.
func (r *reader) page(target, title string) earshot.Source {
	source := earshot.Source{URL: target, Label: cmp.Or(r.titles[target], title)}
	source.Post, _ = answer.PostAt(target)
	if source.Post != nil && source.Post.Author != "" {
		source.Label = cmp.Or(source.Label, "@"+source.Post.Author)
	}
	return source
}
