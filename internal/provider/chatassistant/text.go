package chatassistant

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// maxReferences is how many references of a message are read; real answers
// have up to some hundred.
const maxReferences = 600

// text takes a message's text: references in it, links, and marks that no
// reference explains are noted in the order in which they stand, and replaced by
// what a reader sees there.
func (r *messageReader) text(source string, references []loosejson.Object) {
	references = references[:min(len(references), maxReferences)]
	t := &markedText{reader: r, source: source, references: references, at: place(source, references)}
	starts := []byte(markStarts)
	for at := range t.at {
		starts = append(starts, source[at])
	}
	shown := mdtext.Rewrite(source, string(starts), t.read)
	for _, reference := range t.references {
		if reference != nil { // it stands nowhere
			r.reference(reference)
		}
	}
	for _, link := range mdtext.ProseLinks(shown.Text) { // those around references too
		r.link(link.Label, link.URL)
	}
	if plain := mdtext.Flatten(shown.Text); plain != "" {
		r.texts = append(r.texts, plain)
		if r.want.Markdown {
			r.markdown = append(r.markdown, webtext.Clean(mdtext.KeepSafeLinks(untracked(shown.Markdown))))
		}
	}
}

// markedText is a text on its way to what a reader sees.
type markedText struct {
	reader     *messageReader
	source     string
	references []loosejson.Object // nil once read
	at         map[int]placed     // by where they begin
	blocks     int                // that are open, see block
}

// placed is a reference's place in a text.
type placed struct{ index, length int }

// read gives what stands for the mark that the rest of the text begins with, and
// its length. Links are noted on the way.
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
			t.reader.link(link[1], link[2])
		}
		return shown, 0
	case ':':
		return t.directive(before, rest)
	default:
		return t.reader.mark(before, rest)
	}
}

// webLink is a link in Markdown.
var webLink = regexp.MustCompile(`^\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)`)

// link notes a page that the text links to.
func (r *messageReader) link(label, link string) {
	if target, ok := webtext.Destination(link, nil, ownSources); ok {
		r.sources.Add(earshot.Source{URL: target, Label: mdtext.Flatten(label)})
	}
}

// trackedLink is the target of a link in Markdown that tells where it was given.
var trackedLink = regexp.MustCompile(`\]\(https?://[^\s<>()]*[?&]utm_source=[^\s<>()]*`)

// untracked is Markdown in which links lead straight to where they lead.
func untracked(markdown string) string {
	return trackedLink.ReplaceAllStringFunc(markdown, func(link string) string {
		if target, ok := webtext.Destination(link[len("]("):], nil, ownSources); ok {
			return "](" + target
		}
		return link
	})
}

// place finds where references stand: where they say, in characters, if the
// words that they matched are there, or else at the next place with those words.
func place(source string, references []loosejson.Object) map[int]placed {
	at := map[int]placed{}
	offsets := runeOffsets(source)
	var lost []int
	for i, reference := range references {
		matched := loosejson.AsText(reference["matched_text"])
		begin, end := reference.Count("start_idx"), reference.Count("end_idx")
		if begin != nil && end != nil && *begin >= 0 && *begin < *end && *end < len(offsets) {
			from, to := offsets[*begin], offsets[*end]
			if _, taken := at[from]; !taken && (source[from:to] == matched || matched == "" && isMark(source[from:to])) {
				at[from] = placed{i, to - from}
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
				at[from] = placed{i, len(matched)}
				break
			}
		}
	}
	return at
}

// runeOffsets are where the characters of the text begin, and its end.
func runeOffsets(text string) []int {
	offsets := make([]int, 0, len(text)+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	return append(offsets, len(text))
}
