package via

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// ownSources are the values of utm_source that assistants add to the links they show.
var ownSources = []string{"chatgpt.com", "openai", "perplexity", "copilot.com", "gemini"}

// SetText fills text and Markdown of an answer. Without a text of its own, the vendor's
// Markdown is flattened.
func SetText(a *earshot.Answer, text, markdown string) {
	replacement := mdtext.Rewrite(markdown, "", nil)
	replacement.Fill(a, true)
	if text != "" {
		a.Text = webtext.Clean(text)
		if markdown == "" {
			a.Markdown = webtext.Clean(mdtext.Escape(text))
		}
	}
}

// MaxItems limits lists whose items are compared with each other; real lists are shorter.
const MaxItems = 1000

// Some returns the objects in the field's list, at most MaxItems.
func Some(o loosejson.Object, field string) []loosejson.Object {
	list := o.Objects(field)
	return list[:min(len(list), MaxItems)]
}

// Multiline returns the first of the fields that is a text, with its line breaks, which
// Object.Text removes.
func Multiline(o loosejson.Object, fields ...string) string {
	for _, field := range fields {
		if text := strings.TrimSpace(loosejson.AsText(o[field])); text != "" {
			return text
		}
	}
	return ""
}

// numbered matches a citation mark such as [[1]](https://a.example).
var numbered = regexp.MustCompile(`^\s*\[\[\d+\]\]\(<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?\)`)

// SetCited fills text and Markdown of an answer. Adjacent citation marks such as
// [[1]](https://a.example) become a chip of sources. It reports whether there are any.
func SetCited(a *earshot.Answer, markdown string, sources *answer.Sources) (cited bool) {
	mdtext.Rewrite(markdown, "[", func(rest string) (mdtext.Replacement, int) {
		var chip []answer.Citation
		length := 0
		for {
			mark := numbered.FindStringSubmatch(rest[length:])
			if mark == nil {
				break
			}
			length += len(mark[0])
			if link, ok := webtext.Destination(mark[1], nil, ownSources); ok {
				chip = append(chip, answer.Citation{Source: earshot.Source{URL: link}})
			}
		}
		cited = cited || len(chip) > 0
		return sources.Cite(chip), length
	}).Fill(a, true)
	return cited
}

// Source returns the source that an object describes; ok is false if it has no web address.
func Source(o loosejson.Object) (source earshot.Source, ok bool) {
	link, ok := o.Destination(ownSources, "url", "link", "href")
	return earshot.Source{
		URL: link, Label: webtext.Line(o.Text("title", "label", "name")), Description: webtext.Clean(o.Text("description", "snippet")),
		DatePublished: o.Date("datePublished", "date_published", "publication_date", "page_age"),
	}, ok
}

// AddSources adds the sources that objects describe.
func AddSources(sources *answer.Sources, list []loosejson.Object) {
	for _, o := range list {
		if source, ok := Source(o); ok {
			sources.Add(source)
		}
	}
}

// Each passes the objects in the field's list to add.
func Each(o loosejson.Object, field string, add func(loosejson.Object)) {
	for _, item := range o.Objects(field) {
		add(item)
	}
}

// Link returns the first of the fields that is a web address, without an assistant's tracking.
func Link(o loosejson.Object, fields ...string) string {
	link, _ := o.Destination(ownSources, fields...)
	return link
}

// OwnSources returns the tracking names that Things removes from links.
func OwnSources() []string { return ownSources }
