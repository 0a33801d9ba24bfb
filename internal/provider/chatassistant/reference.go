package chatassistant

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// reference records what a reference contains and returns its replacement in the text. The types of
// references change with every release, so a reference of an unknown type is read by its fields.
func (r *messageReader) reference(reference loosejson.Object) mdtext.Replacement {
	switch kind := reference.Text("type"); kind {
	case "hidden":
		return mdtext.Replacement{}
	case "attribution":
		return mdtext.Removed
	case "entity":
		return r.entity(reference)
	case "alt_text":
		return r.altText(reference)
	case "product_entity":
		return r.inlineProduct(reference)
	case "url", "link_title":
		return r.linkReference(reference)
	case "nav_list":
		r.addSources(reference.Objects("items"))
		return mdtext.Removed
	case "video":
		r.video(reference)
		return mdtext.Removed
	default:
		return r.readFields(reference, strings.HasPrefix(kind, "image") || strings.HasPrefix(kind, "followup"))
	}
}

// readFields reads a reference by its fields: content next to the text, a citation, or else its
// alternative text. A mute reference has no replacement.
func (r *messageReader) readFields(reference loosejson.Object, mute bool) mdtext.Replacement {
	r.images(reference.Objects("images"))
	r.shoppingCard(reference)
	r.places(reference)
	for _, video := range reference.Objects("videos") {
		r.video(video)
	}
	r.addSources(reference.Objects("sources"))
	r.addSources(reference.Objects("domains"))
	r.addSources(citeMap(reference))
	citations := chip(reference)
	switch {
	case mute:
		return mdtext.Removed
	case len(citations) > 0:
		return r.sources.Cite(citations)
	case isBesideText(reference):
		return mdtext.Removed
	default:
		return r.altText(reference)
	}
}

// altText returns the alternative text of a reference. The matched text may say that it names an
// entity.
func (r *messageReader) altText(reference loosejson.Object) mdtext.Replacement {
	alt := loosejson.AsText(reference["alt"])
	if strings.TrimSpace(alt) == "" {
		return mdtext.Removed
	}
	matched := strings.Trim(loosejson.AsText(reference["matched_text"]), markStart+markEnd)
	if kind, list, ok := strings.Cut(matched, markField); ok && kind == "entity" {
		r.entityMark(list)
	}
	return mdtext.Replacement{Text: alt, Markdown: alt}
}

// isBesideText reports whether the reference is for content next to the text. Its alternative text only
// repeats that content.
func isBesideText(reference loosejson.Object) bool {
	for _, field := range []string{"images", "products", "businesses", "business_fallbacks", "videos", "sources", "domains"} {
		if list, _ := reference[field].([]any); len(list) > 0 {
			return true
		}
	}
	return false
}

// maxCited limits the pages of a chip; real chips have up to twenty.
const maxCited = 100

// chip returns what a citation cites: one page, or several pages with supporting pages each.
func chip(reference loosejson.Object) []answer.Citation {
	items := reference.Objects("items")
	if len(items) == 0 {
		items = reference.Objects("fallback_items")
	}
	if item := reference.Object("item"); len(items) == 0 && item != nil {
		items = []loosejson.Object{item}
	}
	if len(items) == 0 {
		items = []loosejson.Object{reference}
	}
	var citations []answer.Citation
	for _, item := range items {
		for _, page := range append([]loosejson.Object{item}, item.Objects("supporting_websites")...) {
			citations = addCitation(citations, page)
		}
	}
	return citations
}

// addCitation appends the page that an object describes, unless the list has it.
func addCitation(list []answer.Citation, page loosejson.Object) []answer.Citation {
	source, ok := webPage(page)
	if !ok || len(list) == maxCited || slices.ContainsFunc(list, func(c answer.Citation) bool { return c.Source.URL == source.URL }) {
		return list
	}
	return append(list, answer.Citation{Source: source, Label: page.Text("attribution")})
}

// linkReference adds a page that the text links to. The label of the link is in the matched text.
func (r *messageReader) linkReference(reference loosejson.Object) mdtext.Replacement {
	label := reference.Text("title")
	if fields := strings.Split(loosejson.AsText(reference["matched_text"]), markField); len(fields) > 1 {
		label = webtext.Line(fields[1])
	}
	citations := chip(reference)
	if len(citations) == 0 {
		return mdtext.Replacement{Text: mdtext.Escape(label), Markdown: mdtext.Escape(label)}
	}
	source := citations[0].Source
	r.sources.Add(source)
	return mdtext.Replacement{Text: mdtext.Escape(label), Markdown: mdtext.WriteLink(label, source.URL)}
}

// citeMap returns the pages that the text about products cites, sorted by name.
func citeMap(reference loosejson.Object) []loosejson.Object {
	cited := reference.Object("cite_map")
	var pages []loosejson.Object
	for _, name := range slices.Sorted(maps.Keys(cited)) {
		pages = append(pages, cited.Object(name))
	}
	return pages
}

// addSources adds sources that belong to no chip.
func (r *messageReader) addSources(list []loosejson.Object) {
	for _, item := range list {
		if source, ok := webPage(item); ok {
			r.sources.Add(source)
		}
	}
}

// webPage returns the source that an object describes.
func webPage(page loosejson.Object) (earshot.Source, bool) {
	link, ok := page.Destination(ownSources, "url")
	return earshot.Source{
		URL:           link,
		Label:         page.Text("title"),
		Description:   page.Text("snippet"),
		DatePublished: page.Date("pub_date"),
	}, ok
}

// references returns the references of a message. Until the end of 2024 they were called citations
// and had other field names.
func references(metadata loosejson.Object) []loosejson.Object {
	if list := metadata.Objects("content_references"); len(list) > 0 {
		return list
	}
	var list []loosejson.Object
	for _, citation := range metadata.Objects("citations") {
		page := legacyPage(citation.Object("metadata"))
		page["start_idx"], page["end_idx"] = citation["start_ix"], citation["end_ix"]
		list = append(list, page)
	}
	return list
}

// legacyPage converts a page of the older citations to today's field names.
func legacyPage(page loosejson.Object) loosejson.Object {
	return loosejson.Object{
		"type": "webpage", "url": page["url"], "title": page["title"], "snippet": page["text"], "pub_date": page["pub_date"],
	}
}
