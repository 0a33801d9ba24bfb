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

// A citation stands in the text as a link in parentheses, as a link with a number
// in brackets, or as a mark of private-use characters; such marks in a row are
// one chip. A bare link is part of the sentence, even where it is cited.
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
	markFirst = "([\xee" // the first byte of each mark
)

var (
	anyLink  = regexp.MustCompile(link)
	bareLink = regexp.MustCompile(`^` + link)
	chip     = regexp.MustCompile(`^` + marks)
	numeral  = regexp.MustCompile(`^\[?[0-9]+\]?$`)
)

// maxAnnotations is how many annotations of a part are read; real answers have up
// to some hundred.
const maxAnnotations = 1000

// maxLabel is the length of a link's label, in bytes; a title has up to some
// hundred.
const maxLabel = 1000

// text takes a part of the text: marks leave it for the chips that they are.
func (r *reader) text(part loosejson.Object) {
	text := loosejson.AsText(part["text"])
	text = strings.ToValidUTF8(text[:min(len(text), webtext.MaxText-r.length)], "")
	if strings.TrimSpace(text) == "" {
		return
	}
	r.length += len(text)
	placed, elsewhere := r.annotations(text, part.Objects("annotations"))
	c := citer{reader: r, text: text, placed: placed, labelEnd: -1}
	if len(placed) > 0 {
		c.marked = markedPages(text)
	}
	r.texts = append(r.texts, mdtext.Rewrite(text, markFirst, c.read))
	c.pass(len(text))
	for _, page := range elsewhere {
		r.sources.Add(r.page(page, ""))
	}
}

// annotation says that a stretch of the text, in bytes, is founded on a page.
type annotation struct {
	start, end int
	page       string
}

// annotations are those of a text with a place in it, in the order of their
// places, and the pages that are cited without saying where.
func (r *reader) annotations(text string, list []loosejson.Object) (placed []annotation, elsewhere []string) {
	if len(list) == 0 {
		return nil, nil
	}
	var offsets []int // in bytes by character, as places are counted
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

// markedPages are the pages that marks in the text lead to.
func markedPages(text string) map[string]bool {
	pages, c := map[string]bool{}, citer{text: text, labelEnd: -1}
	mdtext.Rewrite(text, markFirst, func(rest string) (mdtext.Replacement, int) {
		if !c.plausible(len(text) - len(rest)) {
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

// citer finds the chips in a text, from its beginning to its end.
type citer struct {
	reader *reader
	text   string
	placed []annotation // that are still ahead
	marked map[string]bool
	// labelEnd is where the next label of a link ends, as far as that is known.
	labelEnd int
}

// read tells what stands for the mark or link that the rest of the text begins
// with.
func (c *citer) read(rest string) (shown mdtext.Replacement, length int) {
	at := len(c.text) - len(rest)
	if !c.plausible(at) {
		return mdtext.Replacement{}, 0
	}
	if found := chip.FindString(rest); found != "" {
		c.pass(at)
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
		c.pass(at)
		c.note(c.take(at + len(found)))
	}
	return mdtext.Replacement{Text: found, Markdown: found}, len(found)
}

// plausible tells whether a mark or link may begin at a place, at a fraction of
// what it costs to look for one.
func (c *citer) plausible(at int) bool {
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

// links are the citations that a chip's marks name, and whether they are
// citations whatever the annotations say of this place.
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

// pass notes the annotations of text that ends before a place and has no mark.
func (c *citer) pass(place int) {
	for len(c.placed) > 0 && c.placed[0].end <= place {
		var pages []string
		for end := c.placed[0].end; len(c.placed) > 0 && c.placed[0].end == end; c.placed = c.placed[1:] {
			if page := c.placed[0].page; !c.marked[page] {
				pages = append(pages, page)
			}
		}
		c.note(pages)
	}
}

// take gives the pages of the annotations that begin before a place.
func (c *citer) take(place int) []string {
	var pages []string
	for ; len(c.placed) > 0 && c.placed[0].start < place; c.placed = c.placed[1:] {
		pages = append(pages, c.placed[0].page)
	}
	return pages
}

// note notes a chip that the text does not show.
func (c *citer) note(pages []string) {
	citations := make([]answer.Citation, len(pages))
	for i, page := range pages {
		citations[i] = c.reader.citation(page, "")
	}
	c.reader.sources.Chip(citations)
}

// citation is the page with the name that its chip shows.
func (r *reader) citation(page, name string) answer.Citation {
	source := r.page(page, "")
	if source.Post != nil {
		name = source.Label
	}
	return answer.Citation{Source: source, Label: name}
}

// page is the source at an address, as its annotations or else the title call it.
// A post of the social network can be told by its address alone.
func (r *reader) page(target, title string) earshot.Source {
	source := earshot.Source{URL: target, Label: cmp.Or(r.titles[target], title)}
	source.Post, _ = answer.PostAt(target)
	if source.Post != nil && source.Post.Author != "" {
		source.Label = cmp.Or(source.Label, "@"+source.Post.Author)
	}
	return source
}
