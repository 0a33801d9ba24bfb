package chatassistant

import (
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
)

// maxReferences is how many references of a message are read; real answers
// have up to some hundred.
const maxReferences = 600

// replacement is what stands for a reference in the answer.
type replacement struct{ text, markdown string }

// gone leaves nothing, and closes the gap.
var gone = replacement{answer.Mark, answer.Mark}

// text takes a message's text: each reference in it is found by the words that
// it matched, noted, and replaced by what a reader sees there.
func (r *messageReader) text(source string, references []answer.Object) {
	var text, markdown strings.Builder
	rest := source
	for _, reference := range references[:min(len(references), maxReferences)] {
		matched := answer.AsText(reference["matched_text"])
		at := strings.Index(rest, matched)
		if strings.TrimSpace(matched) == "" || at < 0 {
			r.reference(reference)
			continue
		}
		r.links(rest[:at]) // before the reference, as sources are numbered in the order of the text
		shown := r.reference(reference)
		text.WriteString(rest[:at] + shown.text)
		markdown.WriteString(rest[:at] + shown.markdown)
		rest = rest[at+len(matched):]
	}
	text.WriteString(rest)
	markdown.WriteString(rest)
	r.links(text.String()) // those around references too
	if plain := answer.Flatten(text.String()); plain != "" {
		r.texts = append(r.texts, plain)
		if r.want.Markdown {
			r.markdown = append(r.markdown, answer.Clean(answer.KeepSafeLinks(markdown.String())))
		}
	}
}

// links notes the pages that the text links to.
func (r *messageReader) links(markdown string) {
	for _, link := range answer.Links(markdown) {
		if target, ok := answer.Destination(link.URL, nil, ownSources); ok {
			r.sources.Add(earshot.Source{URL: target, Label: answer.Flatten(link.Label)})
		}
	}
}

// reference notes what one reference carries.
func (r *messageReader) reference(reference answer.Object) replacement {
	switch kind := reference.Text("type"); kind {
	case "hidden":
		return replacement{}
	case "webpage", "webpage_extended", "grouped_webpages":
		return r.chip(reference)
	case "entity":
		return r.entity(reference)
	case "product_entity":
		return r.inlineProduct(reference)
	case "products":
		r.shoppingCard(reference)
	case "nav_list":
		r.pages(reference.Objects("items"))
	case "sources_footnote":
		r.pages(reference.Objects("sources"))
	case "businesses_map":
		r.places(reference.Objects("businesses"))
	case "video_list", "video":
		r.videos(reference.Objects("videos"))
	default:
		if strings.HasPrefix(kind, "image") {
			r.images(reference.Objects("images"))
			break
		}
		if alt := reference.Text("alt"); alt != "" {
			return replacement{alt, alt}
		}
	}
	return gone
}

// chip notes a citation: a page, or pages with further ones behind each.
func (r *messageReader) chip(reference answer.Object) replacement {
	items := reference.Objects("items")
	if len(items) == 0 {
		items = []answer.Object{reference}
	}
	var citations []answer.Citation
	var links []string
	for _, item := range items {
		for _, page := range append([]answer.Object{item}, item.Objects("supporting_websites")...) {
			source, ok := webPage(page)
			if !ok {
				continue
			}
			label := page.Text("attribution")
			citations = append(citations, answer.Citation{Source: source, Label: label})
			links = append(links, answer.MarkdownLink(label, source.URL))
		}
	}
	r.sources.Chip(citations)
	if len(links) == 0 {
		return gone
	}
	return replacement{answer.Mark, "(" + strings.Join(links, ", ") + ")"}
}

// pages notes sources that belong to no chip.
func (r *messageReader) pages(list []answer.Object) {
	for _, item := range list {
		if source, ok := webPage(item); ok {
			r.sources.Add(source)
		}
	}
}

// webPage is the source that an object describes.
func webPage(page answer.Object) (earshot.Source, bool) {
	link, ok := page.Destination(ownSources, "url")
	return earshot.Source{
		URL:           link,
		Label:         page.Text("title"),
		Description:   page.Text("snippet"),
		DatePublished: page.Date("pub_date"),
	}, ok
}

func (r *messageReader) entity(reference answer.Object) replacement {
	name := reference.Text("name", "alt")
	if name == "" {
		return gone
	}
	r.answer.Entities = answer.AddEntity(r.answer.Entities, name, reference.Text("category", "entity_type"))
	name = answer.EscapeMarkdown(name)
	return replacement{name, name}
}
