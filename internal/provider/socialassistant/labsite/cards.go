package labsite

import (
	"fmt"
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// deck is the answer's text with marks, and the cards of the marks as JSON.
type deck struct {
	id    string
	text  string
	cards []string
}

func newDeck(id string, answer *world.Answer, posts []world.Post) *deck {
	d := &deck{id: id, cards: []string{}}
	var text strings.Builder
	for _, image := range answer.Images {
		text.WriteString(d.add("image_card", "render_searched_image", lab.Object{"image": lab.Object{"original": image, "thumbnail": image}}))
	}
	if text.Len() > 0 {
		text.WriteString("\n\n")
	}
	chips := 0
	text.WriteString(world.Markdown(answer.Blocks, func(span world.Span) string {
		switch {
		case span.Cites != nil:
			chips++
			return d.cite(span.Cites, posts, chips)
		case span.Brand:
			return d.add("entity_card", "render_entity", lab.Object{"entity": lab.Object{"name": span.Text, "type": "brand"}})
		case span.Strong, span.Product != nil:
			return "**" + world.Escape(span.Text) + "**"
		default:
			return world.Escape(span.Text)
		}
	}))
	d.text = text.String()
	return d
}

// cite writes a chip: a mark for each page, and for a post in every second chip. The second chip
// belongs to the first list item, which the first post is about.
func (d *deck) cite(sources []world.Source, posts []world.Post, chip int) string {
	var marks strings.Builder
	for _, source := range sources {
		marks.WriteString(d.citation(source.URL))
	}
	if chip%2 == 0 && len(posts) > 0 {
		marks.WriteString(d.citation(posts[(chip-2)%len(posts)].URL))
	}
	return marks.String()
}

func (d *deck) citation(link string) string {
	return d.add("citation_card", "render_inline_citation", lab.Object{"url": link})
}

// add adds a card and returns its mark.
func (d *deck) add(kind, task string, card lab.Object) string {
	id := fmt.Sprintf("%.4s%02d", d.id, len(d.cards))
	card["id"], card["cardType"], card["type"] = id, kind, task
	d.cards = append(d.cards, string(lab.JSON(card)))
	return fmt.Sprintf("<lab:render card_id=%q card_type=%q type=%q><argument name=\"n\">%d</argument></lab:render>", id, kind, task, len(d.cards))
}
