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

// Types of the API's documents.
const (
	typeWeb   = "search"
	typeNews  = "news"
	typeError = "ErrorResponse"
)

// maxResults is how many results of a kind are read of a document, twice what the
// API gives at most.
const maxResults = 100

// Recognises tells whether the document is the API's answer to a search of either
// kind.
func Recognises(document []byte) (known bool) {
	_ = decode(document, func(o loosejson.Object) error { // what cannot be read is nothing that is known
		known = isAnswer(o, typeWeb) || isAnswer(o, typeNews)
		return nil
	})
	return known
}

func isAnswer(o loosejson.Object, kind string) bool {
	return o.Text("type") == kind && (o.Object("query") != nil || o.Object("web") != nil)
}

// read hands an answer of the kind to use. The error is an *upstream.Failure that
// says what else the document is.
func read(document []byte, kind string, use func(loosejson.Object)) error {
	return decode(document, func(o loosejson.Object) error {
		switch {
		case o.Text("type") == typeError:
			return refusal(0, nil, o)
		case !isAnswer(o, kind):
			return upstream.Fail(earshot.ReasonUnreadable, "this is no answer of the type %s", kind)
		}
		use(o)
		return nil
	})
}

// decode hands the object that the document is to use, a nil one where it is
// something else. The error is use's own, or an *upstream.Failure that calls the
// document unreadable.
func decode(document []byte, use func(loosejson.Object) error) error {
	return rawdoc.ReadJSON(document, func() error {
		value, _ := loosejson.Decode(webtext.ValidText(string(rawdoc.Trimmed(document))))
		return use(loosejson.AsObject(value))
	})
}

// results are the results in a part of an answer. Where there is only one, it may
// stand without a list.
func results(part loosejson.Object) []loosejson.Object {
	list := part.Objects("results")
	if one := part.Object("results"); one != nil {
		list = []loosejson.Object{one}
	}
	return list[:min(len(list), maxResults)]
}

// highlights are how the API marks the words that were searched for.
var highlights = strings.NewReplacer("<strong>", "", "</strong>", "")

// plain is the first of the fields that is a title or a name, as it is read. It
// has no markup but highlights: another tag in it is what it is about.
func plain(o loosejson.Object, fields ...string) string {
	return webtext.Line(html.UnescapeString(highlights.Replace(o.Text(fields...))))
}

// Tags in prose: those that mark words, and those that part them.
var (
	marking = regexp.MustCompile(`(?i)</?(?:strong|b|em|i|mark|span|a)(?:\s[^<>]*)?>`)
	parting = regexp.MustCompile(`(?i)</?(?:br|p|ul|ol|li|div|table|tr|td)(?:[\s/][^<>]*)?>`)
)

// maxProse is how many bytes of prose are read; real snippets have a thousand.
const maxProse = 16 << 10

// prose is the first of the fields that is a text, as it is read. Tags that it
// speaks of come as entities.
func prose(o loosejson.Object, fields ...string) string {
	text := o.Text(fields...)
	text = strings.ToValidUTF8(text[:min(len(text), maxProse)], "")
	text = marking.ReplaceAllString(text, "")
	text = parting.ReplaceAllString(text, " ")
	return webtext.Line(html.UnescapeString(text))
}

// link is the destination in the first of the fields that is a web address, ""
// where none is.
func link(o loosejson.Object, fields ...string) string {
	to, _ := o.Destination(nil, fields...)
	return to
}

// date is the day of a page, or else how old it is in the API's words.
func date(o loosejson.Object) string { return o.Date("page_age", "age") }

// image is the picture of a result where its page has it, or else the API's copy.
func image(o loosejson.Object) string { return link(o.Object("thumbnail"), "original", "src") }
