package chatassistant

import (
	"slices"
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
func (r *messageReader) text(source string, references []object) {
	var text, markdown strings.Builder
	rest := source
	for _, reference := range references[:min(len(references), maxReferences)] {
		shown := r.reference(reference)
		matched := asText(reference["matched_text"])
		at := strings.Index(rest, matched)
		if strings.TrimSpace(matched) == "" || at < 0 {
			continue
		}
		text.WriteString(rest[:at] + shown.text)
		markdown.WriteString(rest[:at] + shown.markdown)
		rest = rest[at+len(matched):]
	}
	text.WriteString(rest)
	markdown.WriteString(rest)
	for _, link := range answer.Links(text.String()) {
		if target, ok := answer.Destination(link.URL, nil, ownSources); ok {
			r.sources.Add(earshot.Source{URL: target, Label: answer.Flatten(link.Label)})
		}
	}
	if plain := answer.Flatten(text.String()); plain != "" {
		r.texts = append(r.texts, plain)
		if r.want.Markdown {
			r.markdown = append(r.markdown, answer.Clean(answer.KeepSafeLinks(markdown.String())))
		}
	}
}

// reference notes what one reference carries.
func (r *messageReader) reference(reference object) replacement {
	switch kind := reference.text("type"); kind {
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
		r.pages(reference.objects("items"))
	case "sources_footnote":
		r.pages(reference.objects("sources"))
	case "businesses_map":
		r.places(reference.objects("businesses"))
	case "video_list", "video":
		r.videos(reference.objects("videos"))
	default:
		if strings.HasPrefix(kind, "image") {
			r.images(reference.objects("images"))
			break
		}
		if alt := reference.text("alt"); alt != "" {
			return replacement{alt, alt}
		}
	}
	return gone
}

// chip notes a citation: a page, or pages with further ones behind each.
func (r *messageReader) chip(reference object) replacement {
	items := reference.objects("items")
	if len(items) == 0 {
		items = []object{reference}
	}
	var citations []answer.Citation
	var links []string
	for _, item := range items {
		for _, page := range append([]object{item}, item.objects("supporting_websites")...) {
			source, ok := webPage(page)
			if !ok {
				continue
			}
			label := page.text("attribution")
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
func (r *messageReader) pages(list []object) {
	for _, item := range list {
		if source, ok := webPage(item); ok {
			r.sources.Add(source)
		}
	}
}

// webPage is the source that an object describes.
func webPage(page object) (earshot.Source, bool) {
	link, ok := destination(page, "url")
	return earshot.Source{
		URL:           link,
		Label:         page.text("title"),
		Description:   page.text("snippet"),
		DatePublished: page.date("pub_date"),
	}, ok
}

// destination is where the first of the fields that is a web address leads.
func destination(o object, fields ...string) (string, bool) {
	for _, field := range fields {
		if link, ok := answer.Destination(asText(o[field]), nil, ownSources); ok {
			return link, true
		}
	}
	return "", false
}

func (r *messageReader) entity(reference object) replacement {
	name := reference.text("name", "alt")
	if name == "" {
		return gone
	}
	r.answer.Entities = addEntity(r.answer.Entities, name, reference.text("category", "entity_type"))
	name = answer.EscapeMarkdown(name)
	return replacement{name, name}
}

// addEntity appends what is named unless the list has it.
func addEntity(list earshot.List[earshot.Entity], name, kind string) earshot.List[earshot.Entity] {
	entity := earshot.Entity{Name: name, Type: kind}
	if kind == "" {
		entity.Type = "other"
	}
	if slices.Contains(list, entity) {
		return list
	}
	return append(list, entity)
}
