package chatassistant

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// maxReferences limits the references that are read of a message; real answers have up to a few
// hundred.
const maxReferences = 600

// text reads the text of a message. It records references, links and marks without a reference in
// the order of the text, and replaces them by what the user sees.
func (r *messageReader) text(source string, references []loosejson.Object) {
	references = references[:min(len(references), maxReferences)]
	t := &markedText{reader: r, source: source, references: references, at: locateReferences(source, references)}
	starts := []byte(markStarts)
	for at := range t.at {
		starts = append(starts, source[at])
	}
	shown := mdtext.Rewrite(source, string(starts), t.read)
	for _, reference := range t.references {
		if reference != nil { // it was not found in the text
			r.reference(reference)
		}
	}
	for _, link := range mdtext.ProseLinks(shown.Text) { // including links around references
		r.addLink(link.Label, link.URL)
	}
	if plain := mdtext.Flatten(shown.Text); plain != "" {
		r.texts = append(r.texts, plain)
		if r.want.Markdown {
			r.markdown = append(r.markdown, webtext.Clean(mdtext.KeepSafeLinks(removeTracking(shown.Markdown))))
		}
	}
}

// markedText is a text whose marks are being replaced.
type markedText struct {
	reader     *messageReader
	source     string
	references []loosejson.Object // nil after the reference was read
	at         map[int]position   // by start offset
	blocks     int                // number of open blocks, see directive
}

// position is the position of a reference in a text.
type position struct{ index, length int }

// read returns the replacement for the mark at the start of rest, and its length. It also records
// links.
func (t *markedText) read(rest string) (shown mdtext.Replacement, length int) {
	at := len(t.source) - len(rest)
	if p, ok := t.at[at]; ok {
		reference := t.references[p.index]
		t.references[p.index] = nil
		return t.reader.reference(reference), p.length
	}
	before := t.source[:at]
	switch rest[0] {
	case '[':
		if link := webLink.FindStringSubmatch(rest); link != nil && !strings.HasSuffix(before, "!") && !strings.HasSuffix(before, `\`) {
			t.reader.addLink(link[1], link[2])
		}
		return shown, 0
	case ':':
		return t.directive(before, rest)
	default:
		return t.reader.mark(before, rest)
	}
}

// webLink matches a link in Markdown.
var webLink = regexp.MustCompile(`^\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)`)

// addLink adds a page that the text links to.
func (r *messageReader) addLink(label, link string) {
	if target, ok := webtext.Destination(link, nil, ownSources); ok {
		r.sources.Add(earshot.Source{URL: target, Label: mdtext.Flatten(label)})
	}
}

// trackedLink matches the target of a Markdown link with a utm_source parameter.
var trackedLink = regexp.MustCompile(`\]\(https?://[^\s<>()]*[?&]utm_source=[^\s<>()]*`)

// removeTracking returns the Markdown without the assistant's tracking parameters in links.
func removeTracking(markdown string) string {
	return trackedLink.ReplaceAllStringFunc(markdown, func(link string) string {
		if target, ok := webtext.Destination(link[len("]("):], nil, ownSources); ok {
			return "](" + target
		}
		return link
	})
}

// locateReferences finds the positions of references. A reference is at the position that it gives, in
// characters, if its matched text is there. Otherwise it is at the next occurrence of its matched
// text.
func locateReferences(source string, references []loosejson.Object) map[int]position {
	at := map[int]position{}
	offsets := runeOffsets(source)
	var lost []int
	for i, reference := range references {
		matched := loosejson.AsText(reference["matched_text"])
		begin, end := reference.Count("start_idx"), reference.Count("end_idx")
		if begin != nil && end != nil && *begin >= 0 && *begin < *end && *end < len(offsets) {
			from, to := offsets[*begin], offsets[*end]
			if _, taken := at[from]; !taken && (source[from:to] == matched || matched == "" && isMark(source[from:to])) {
				at[from] = position{i, to - from}
				continue
			}
		}
		if strings.TrimSpace(matched) != "" {
			lost = append(lost, i)
		}
	}
	next := map[string]int{}
	for _, i := range lost {
		matched := loosejson.AsText(references[i]["matched_text"])
		for {
			found := strings.Index(source[next[matched]:], matched)
			if found < 0 {
				break
			}
			from := next[matched] + found
			next[matched] = from + len(matched)
			if _, taken := at[from]; !taken {
				at[from] = position{i, len(matched)}
				break
			}
		}
	}
	return at
}

// runeOffsets returns the byte offset of each character of the text, and the length of the text.
func runeOffsets(text string) []int {
	offsets := make([]int, 0, len(text)+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	return append(offsets, len(text))
}
