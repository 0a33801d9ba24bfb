package labsite

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// In a message, a reference is a mark of private-use characters: the start, the kind, its arguments
// with a separator before each, and the end.
const (
	markStart = "\ue200"
	markNext  = "\ue202"
	markEnd   = "\ue201"
)

type object = lab.Object

// message is the text of the stream's final message, and the references of its marks.
type message struct {
	text       strings.Builder
	length     int // of text, in characters
	references []object
	ids        map[string]string // by URL of a source
}

func newMessage(answer *world.Answer) *message {
	m := &message{ids: map[string]string{}}
	for i, source := range answer.Sources {
		m.ids[source.URL] = fmt.Sprintf("turn0search%d", i)
	}
	if len(answer.Images) > 0 {
		m.mark([]string{"image_group", "turn0image0"}, object{"type": "image_group", "images": lab.Objects(answer.Images, image)})
		m.write("\n\n")
	}
	world.WriteMarkdown(answer.Blocks, m.write, m.span)
	m.widgets(answer)
	if len(answer.Sources) > 0 {
		m.references = append(m.references, object{
			"matched_text": " ", "start_idx": m.length, "end_idx": m.length,
			"type": "sources_footnote", "sources": lab.Objects(answer.Sources, page),
		})
	}
	return m
}

func (m *message) write(text string) {
	m.text.WriteString(text)
	m.length += utf8.RuneCountInString(text)
}

// mark writes a mark and records its reference.
func (m *message) mark(words []string, reference object) {
	text := markStart + strings.Join(words, markNext) + markEnd
	reference["matched_text"] = text
	reference["start_idx"] = m.length
	m.write(text)
	reference["end_idx"] = m.length
	m.references = append(m.references, reference)
}

func (m *message) span(span world.Span) {
	switch {
	case span.Cites != nil:
		m.cite(span.Cites)
	case span.Product != nil:
		m.mark([]string{"product_entity", argument("turn0product0", span.Text)},
			object{"type": "product_entity", "alt": span.Text, "product": product(*span.Product)})
	case span.Brand:
		m.mark([]string{"entity", argument("brand", span.Text)},
			object{"type": "entity", "alt": span.Text, "name": span.Text, "category": "brand"})
	case span.Strong:
		m.write("**" + world.Escape(span.Text) + "**")
	default:
		m.write(world.Escape(span.Text))
	}
}

// cite writes a chip. Its first source contains the others.
func (m *message) cite(cites []world.Source) {
	words := []string{"cite"}
	for _, source := range cites {
		words = append(words, m.ids[source.URL])
	}
	first := page(cites[0])
	first["supporting_websites"] = lab.Objects(cites[1:], page)
	m.mark(words, object{"type": "grouped_webpages", "items": []object{first}})
}

// widgets writes the parts that the page shows below the text.
func (m *message) widgets(answer *world.Answer) {
	for _, card := range answer.Cards {
		m.mark([]string{"products", argument(card.Title)},
			object{"type": "products", "title": card.Title, "tags": card.Tags, "products": lab.Objects(card.Products, product)})
	}
	if len(answer.Places) > 0 {
		m.mark([]string{"businesses_map", "turn0business0"},
			object{"type": "businesses_map", "businesses": lab.Objects(answer.Places, place)})
	}
	if len(answer.Videos) > 0 {
		m.mark([]string{"video_list", "turn0video0"},
			object{"type": "video_list", "videos": lab.Objects(answer.Videos, video)})
	}
}

// argument returns names in the form of a mark's argument.
func argument(words ...string) string { return string(lab.JSON(words)) }

// page returns a source in the form of the stream.
func page(s world.Source) object {
	return object{
		"title": s.Title, "url": tracked(s.URL), "snippet": s.Snippet,
		"attribution": s.Site, "pub_date": unixTime(s.Published),
	}
}

// unixTime returns a date in the form of the stream, or nil if date is not valid.
func unixTime(date string) any {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil
	}
	return float64(day.Unix())
}
