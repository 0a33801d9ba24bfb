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

// Marks take the place of citations, entities and widgets in a text. References explain most marks.
// Older stored answers have no references, and some tools remove the private-use characters around
// marks: such a mark is called bare. markStarts are the characters with which marks and links
// begin.
const markStarts = "\xee" + "\xe3" + ":[" + "cfmnivep"

const (
	markStart = "\ue200"
	markEnd   = "\ue201"
	markField = "\ue202"
)

// Patterns for bare marks and for the marks of older assistants. Search results have names such as
// turn0search3.
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

// maxMark limits the length of a bare mark; real ones have up to a few hundred bytes. The limit
// keeps reading linear for a text full of incomplete marks.
const maxMark = 600

// bareKinds are the prefixes of bare marks. Checking them first rules out nearly all words.
var bareKinds = []string{"cite", "filecite", "memcite", "navlist", "iturn", "i\xee", "image_group", "video", "entity", "product"}

func hasBareKind(text string) bool {
	return slices.ContainsFunc(bareKinds, func(kind string) bool { return strings.HasPrefix(text, kind) })
}

// bareKind returns the kind of a bare mark that cites or lists results, or "".
func bareKind(mark string) string {
	if strings.Contains(mark, "navlist") {
		return "navlist"
	}
	if strings.Contains(mark, "cite") {
		return "cite"
	}
	return ""
}

// isMark reports whether the whole text is one mark.
func isMark(text string) bool {
	return len(text) <= maxMark && (strings.HasPrefix(text, markStart) || bareMark.FindString(text) == text || bracketMark.FindString(text) == text)
}

// mark returns the replacement for the mark at the start of rest, and its length. The length is 0
// if there is no mark.
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
			return mdtext.Removed, len(cutMark.FindString(rest))
		}
		if strings.HasPrefix(inner[end:], markEnd) {
			return r.fieldMark(strings.Split(inner[:end], markField)), len(markStart) + end + len(markEnd)
		}
	}
	if word := strings.TrimLeftFunc(start[:min(len(start), maxLead)], isPrivate); !hasBareKind(word) {
		return shown, 0
	}
	if strings.Contains(start, "turn") { // otherwise it names no result
		if found := bareMark.FindString(start); found != "" && (bareKind(found) == "cite" || endsOutsideWord(before)) {
			return r.fieldMark([]string{bareKind(found), found}), len(found)
		}
	}
	if !endsOutsideWord(before) {
		return shown, 0
	}
	if found := bareThing.FindStringSubmatch(start); found != nil {
		return r.fieldMark(found[1:]), len(found[0])
	}
	return mdtext.Removed, len(bareWidget.FindString(start))
}

// maxLead limits how far into a mark its kind may begin: a character or two may precede it.
const maxLead = 24

func isPrivate(r rune) bool { return unicode.Is(unicode.Co, r) }

// endsOutsideWord reports whether the text before a mark does not end with a letter, digit or
// underscore.
func endsOutsideWord(before string) bool {
	return before == "" || !strings.ContainsAny(before[len(before)-1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
}

// fieldMark returns the replacement for a mark with these fields. The first field is the kind.
func (r *messageReader) fieldMark(fields []string) mdtext.Replacement {
	rest := fields[1:]
	switch kind := fields[0]; {
	case len(rest) == 0:
	case kind == "cite":
		return r.cite(strings.Join(rest, " "))
	case kind == "navlist":
		for _, name := range resultName.FindAllString(strings.Join(rest, " "), -1) {
			r.addSources([]loosejson.Object{r.pages[name]})
		}
	case kind == "entity", kind == "product_entity":
		return r.entityMark(rest[0])
	case kind == "url", kind == "link_title":
		return r.linkMark(rest)
	}
	return mdtext.Removed
}

// cite records a chip with the results that the mark names.
func (r *messageReader) cite(mark string) mdtext.Replacement {
	var citations []answer.Citation
	for _, name := range resultName.FindAllString(mark, maxCited) {
		citations = addCitation(citations, r.pages[name])
	}
	return r.sources.Cite(citations)
}

// entityMark returns the name in a mark that holds a list: the kind of thing or a result, then the name.
func (r *messageReader) entityMark(list string) mdtext.Replacement {
	value, _ := loosejson.Decode(list)
	words := loosejson.Object{"list": value}.Texts("list", "")
	if len(words) < 2 {
		return mdtext.Removed
	}
	if !resultName.MatchString(words[0]) {
		r.answer.Entities = answer.AddEntity(r.answer.Entities, words[1], words[0])
	}
	name := mdtext.Escape(words[1])
	return mdtext.Replacement{Text: name, Markdown: name}
}

// linkMark returns the link in a mark: its label, then its URL or the name of a result.
func (r *messageReader) linkMark(fields []string) mdtext.Replacement {
	label := mdtext.Escape(webtext.Line(fields[0]))
	target := fields[len(fields)-1]
	if page, ok := webPage(r.pages[target]); ok {
		target = page.URL
	}
	link, ok := webtext.Destination(target, nil, ownSources)
	if !ok {
		return mdtext.Replacement{Text: label, Markdown: label}
	}
	r.addLink(label, link)
	return mdtext.Replacement{Text: label, Markdown: mdtext.WriteLink(webtext.Line(fields[0]), link)}
}

// directive returns the replacement for a mark that begins with a colon: a citation of older
// assistants, or the first or last line of a block of text to copy.
func (t *markedText) directive(before, rest string) (shown mdtext.Replacement, length int) {
	if found := oaiCite.FindString(rest); found != "" {
		return mdtext.Removed, len(found)
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
