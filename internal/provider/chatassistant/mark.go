package chatassistant

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// Marks stand in a text for citations, things and widgets. References explain
// most of them, but not those of an answer that was stored before they came, and
// some stores lose the characters around marks. markStarts are what marks, and
// links, begin with.
const markStarts = "\xee" + "\xe3" + ":[" + "cfmnivep"

const (
	markStart = "\ue200"
	markEnd   = "\ue201"
	markField = "\ue202"
)

// These find marks that have lost what is around them, and those of older
// assistants. What a citation cites is called turn0search3 and the like.
var (
	resultName  = regexp.MustCompile(`turn\d+[a-z]+\d+`)
	bareMark    = regexp.MustCompile(`^\p{Co}*(?:(?:mem|file)?cite|i|video|image_group|navlist[^\n\p{Co}]*?)\p{Co}*(?:[,\p{Co}]*turn\d+[a-z]+\d+)+(?:\p{Co}*L\d+(?:-L?\d+)?)?\p{Co}*`)
	bareThing   = regexp.MustCompile(`^(entity|product_entity)(\["[^\[\]\n]+\])`)
	bareWidget  = regexp.MustCompile(`^(?:image_group|products)\{"[^{}\n]+\}`)
	cutMark     = regexp.MustCompile(`^\x{E200}[a-z_]*(?:\x{E202}[^\n]*)?$`)
	bracketMark = regexp.MustCompile(`^【(?:\d+(?::\d+)?†|oaicite:|cite|turn\d+[a-z])[^【】\n]*】`)
	oaiCite     = regexp.MustCompile(`^:{1,2}contentReference\[oaicite:\d+\](?:\{[^{}\n]*\})?`)
	blockStart  = regexp.MustCompile(`^:::[a-z_]+\{[^\n]*\}[ \t]*(?:\n|$)`)
	blockEnd    = regexp.MustCompile(`^:::[ \t]*(?:\n|$)`)
)

// maxMark is how long a mark may be that has lost what is around it; real ones
// have up to a few hundred bytes. So a text that is full of their beginnings is
// read in linear time.
const maxMark = 600

// bareKinds are how such marks begin; nearly all words are told from them by that.
var bareKinds = []string{"cite", "filecite", "memcite", "navlist", "iturn", "i\xee", "image_group", "video", "entity", "product"}

func hasBareKind(text string) bool {
	return slices.ContainsFunc(bareKinds, func(kind string) bool { return strings.HasPrefix(text, kind) })
}

// bareKind is the kind of such a mark where it cites or lists results.
func bareKind(mark string) string {
	if strings.Contains(mark, "navlist") {
		return "navlist"
	}
	if strings.Contains(mark, "cite") {
		return "cite"
	}
	return ""
}

// isMark tells whether all of the text is a mark.
func isMark(text string) bool {
	return len(text) <= maxMark && (strings.HasPrefix(text, markStart) || bareMark.FindString(text) == text || bracketMark.FindString(text) == text)
}

// mark gives what stands for the mark that rest begins with, and its length.
func (r *messageReader) mark(before, rest string) (shown mdtext.Replacement, length int) {
	start := rest[:min(len(rest), maxMark)]
	if strings.HasPrefix(rest, "【") {
		found := bracketMark.FindString(start)
		return r.cite(found), len(found)
	}
	if strings.HasPrefix(rest, markStart) {
		inner := rest[len(markStart):]
		end := strings.IndexAny(inner, markStart+markEnd)
		if end < 0 { // the text was cut off
			return mdtext.Gone, len(cutMark.FindString(rest))
		}
		if strings.HasPrefix(inner[end:], markEnd) {
			return r.fields(strings.Split(inner[:end], markField)), len(markStart) + end + len(markEnd)
		}
	}
	if word := strings.TrimLeftFunc(start[:min(len(start), maxLead)], isPrivate); !hasBareKind(word) {
		return shown, 0
	}
	if strings.Contains(start, "turn") { // else it names no result
		if found := bareMark.FindString(start); found != "" && (bareKind(found) == "cite" || isApart(before)) {
			return r.fields([]string{bareKind(found), found}), len(found)
		}
	}
	if !isApart(before) {
		return shown, 0
	}
	if found := bareThing.FindStringSubmatch(start); found != nil {
		return r.fields(found[1:]), len(found[0])
	}
	return mdtext.Gone, len(bareWidget.FindString(start))
}

// maxLead is how far a mark's kind is looked for: there may be a character or two
// before it.
const maxLead = 24

func isPrivate(r rune) bool { return unicode.Is(unicode.Co, r) }

// isApart tells whether what follows the text is not within a word.
func isApart(before string) bool {
	return before == "" || !strings.ContainsAny(before[len(before)-1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
}

// fields gives what stands for a mark with these fields, of which the first is
// its kind.
func (r *messageReader) fields(fields []string) mdtext.Replacement {
	rest := fields[1:]
	switch kind := fields[0]; {
	case len(rest) == 0:
	case kind == "cite":
		return r.cite(strings.Join(rest, " "))
	case kind == "navlist":
		for _, name := range resultName.FindAllString(strings.Join(rest, " "), -1) {
			r.listed([]loosejson.Object{r.pages[name]})
		}
	case kind == "entity", kind == "product_entity":
		return r.named(rest[0])
	case kind == "url", kind == "link_title":
		return r.linked(rest)
	}
	return mdtext.Gone
}

// cite notes the results that the mark names as a chip.
func (r *messageReader) cite(mark string) mdtext.Replacement {
	var citations []answer.Citation
	for _, name := range resultName.FindAllString(mark, maxCited) {
		citations = addCitation(citations, r.pages[name])
	}
	return r.sources.Cite(citations)
}

// named gives the name in a mark that holds a list: of what kind the thing is,
// or which result, then how it is called.
func (r *messageReader) named(list string) mdtext.Replacement {
	value, _ := loosejson.Decode(list)
	words := loosejson.Object{"list": value}.Texts("list", "")
	if len(words) < 2 {
		return mdtext.Gone
	}
	if !resultName.MatchString(words[0]) {
		r.answer.Entities = answer.AddEntity(r.answer.Entities, words[1], words[0])
	}
	name := mdtext.Escape(words[1])
	return mdtext.Replacement{Text: name, Markdown: name}
}

// linked gives a link that a mark holds: its label, then its address or the
// result that it leads to.
func (r *messageReader) linked(fields []string) mdtext.Replacement {
	label := mdtext.Escape(webtext.Line(fields[0]))
	target := fields[len(fields)-1]
	if page, ok := webPage(r.pages[target]); ok {
		target = page.URL
	}
	link, ok := webtext.Destination(target, nil, ownSources)
	if !ok {
		return mdtext.Replacement{Text: label, Markdown: label}
	}
	r.link(label, link)
	return mdtext.Replacement{Text: label, Markdown: mdtext.WriteLink(webtext.Line(fields[0]), link)}
}

// directive gives what stands for a mark that begins with a colon: a citation of
// older assistants, or the line that opens or closes a block of text to copy.
func (t *markedText) directive(before, rest string) (shown mdtext.Replacement, length int) {
	if found := oaiCite.FindString(rest); found != "" {
		return mdtext.Gone, len(found)
	}
	if before != "" && !strings.HasSuffix(before, "\n") {
		return shown, 0
	}
	if found := blockStart.FindString(rest); found != "" {
		t.blocks++
		return shown, len(found)
	}
	if found := blockEnd.FindString(rest); found != "" && t.blocks > 0 {
		t.blocks--
		return shown, len(found)
	}
	return shown, 0
}
