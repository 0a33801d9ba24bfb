package via

import (
	"strings"

	"earshot"
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

// Source returns the source that an object describes; ok is false if it has no web address.
func Source(o loosejson.Object) (source earshot.Source, ok bool) {
	link, ok := o.Destination(ownSources, "url", "link", "href")
	return earshot.Source{
		URL: link, Label: webtext.Line(o.Text("title", "label", "name")), Description: webtext.Clean(o.Text("description", "snippet")),
		DatePublished: o.Date("datePublished", "date_published", "page_age"),
	}, ok
}

// Link returns the first of the fields that is a web address, without an assistant's tracking.
func Link(o loosejson.Object, fields ...string) string {
	link, _ := o.Destination(ownSources, fields...)
	return link
}

// OwnSources returns the tracking names that Things removes from links.
func OwnSources() []string { return ownSources }
