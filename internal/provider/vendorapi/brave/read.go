package brave

import (
	"html"
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Document types of the API.
const (
	typeWeb   = "search"
	typeNews  = "news"
	typeError = "ErrorResponse"
)

// maxResults limits the results of one kind that are read from a document. It is twice what the API
// returns at most.
const maxResults = 100

// Recognises reports whether the document is the API's answer to a web or news search.
func Recognises(document []byte) (known bool) {
	_ = decode(document, func(o loosejson.Object) error { // an unreadable document is not recognised
		known = isAnswer(o, typeWeb) || isAnswer(o, typeNews)
		return nil
	})
	return known
}

func isAnswer(o loosejson.Object, kind string) bool {
	return o.Text("type") == kind && (o.Object("query") != nil || o.Object("web") != nil)
}

// read passes an answer of the kind to use. The error is an *upstream.Failure that says what the
// document is instead.
func read(document []byte, kind string, use func(loosejson.Object)) error {
	return decode(document, func(o loosejson.Object) error {
		switch {
		case o.Text("type") == typeError:
			return refusal(0, nil, o, "")
		case !isAnswer(o, kind):
			return upstream.Fail(earshot.ReasonUnreadable, "the document is not an answer of type %s", kind)
		}
		use(o)
		return nil
	})
}

// decode passes the document's JSON object to use, or nil if the document is not an object. The
// error is use's own, or an *upstream.Failure for an unreadable document.
func decode(document []byte, use func(loosejson.Object) error) error {
	return rawdoc.ReadJSON(document, func() error {
		value, _ := loosejson.Decode(webtext.ValidText(string(rawdoc.Trimmed(document))))
		return use(loosejson.AsObject(value))
	})
}

// results returns the results in a section of an answer. A single result may be an object instead
// of a list.
func results(part loosejson.Object) []loosejson.Object {
	list := part.Objects("results")
	if one := part.Object("results"); one != nil {
		list = []loosejson.Object{one}
	}
	return list[:min(len(list), maxResults)]
}

// collect reads the results in a section of an answer and returns the valid ones.
func collect[T any](section loosejson.Object, read func(loosejson.Object) (T, bool)) []T {
	var found []T
	for _, item := range results(section) {
		if result, ok := read(item); ok {
			found = append(found, result)
		}
	}
	return found
}

// highlights removes the tags around the words of the query.
var highlights = strings.NewReplacer("<strong>", "", "</strong>", "")

// plain returns the first field that is set, as plain text, for titles and names. The only markup
// in these fields is highlights: any other tag is part of the title.
func plain(o loosejson.Object, fields ...string) string {
	return webtext.Line(html.UnescapeString(highlights.Replace(o.Text(fields...))))
}

// Tags in prose: inline tags are removed, block tags become a space.
var (
	marking = regexp.MustCompile(`(?i)</?(?:strong|b|em|i|mark|span|a)(?:\s[^<>]*)?>`)
	parting = regexp.MustCompile(`(?i)</?(?:br|p|ul|ol|li|div|table|tr|td)(?:[\s/][^<>]*)?>`)
)

// maxProse limits how many bytes of prose are read; real snippets have about a thousand.
const maxProse = 16 << 10

// prose returns the first field that is set, as plain text, for descriptions. Tags that the text
// itself mentions are escaped as entities.
func prose(o loosejson.Object, fields ...string) string {
	text := o.Text(fields...)
	text = strings.ToValidUTF8(text[:min(len(text), maxProse)], "")
	text = marking.ReplaceAllString(text, "")
	text = parting.ReplaceAllString(text, " ")
	return webtext.Line(html.UnescapeString(text))
}

// link returns the destination of the first field that is a web address, or "".
func link(o loosejson.Object, fields ...string) string {
	to, _ := o.Destination(nil, fields...)
	return to
}

// date returns the date of a page, or else its age in the API's words.
func date(o loosejson.Object) string { return o.Date("page_age", "age") }

// image returns the URL of a result's image on its own page, or else of the API's copy.
func image(o loosejson.Object) string { return link(o.Object("thumbnail"), "original", "src") }
