package labsite

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// piece is how many characters of text a message adds. The odd number splits words and marks, as on
// the real site.
const piece = 97

// The states of a reply.
const (
	growing = 1
	whole   = 2
)

// stream writes the answer to prompt; each element is a chunk. Each message repeats the text so
// far; the last one also has the sources.
func stream(prompt string, answer *world.Answer) [][]byte {
	s := &chunks{id: world.Identity(prompt, answer)}
	s.written = append(s.written, []byte(")]}'\n\n"))
	s.message(lab.Object{"12": []any{prompt}}) // the title of the conversation
	text := markdown(answer)
	said := ""
	for _, part := range world.Pieces(text, piece) {
		said += part
		s.reply(said, growing, nil)
	}
	s.reply(text, whole, rich(answer))
	s.chunk([]any{"e", 4, nil, nil, 1})
	return s.written
}

type chunks struct {
	id      string
	written [][]byte
}

// chunk appends a chunk with one frame, preceded by its length.
func (c *chunks) chunk(frame []any) {
	data := lab.JSON([]any{frame})
	c.written = append(c.written, fmt.Appendf(nil, "%d\n%s\n", len(data), data))
}

// message appends a message. further are the fields after those that every message has.
func (c *chunks) message(further ...any) {
	content := append([]any{nil, []string{"c_" + c.id, "r_" + c.id}}, further...)
	c.chunk([]any{"wrb.fr", nil, string(lab.JSON(content))})
}

// reply appends a message with the reply so far.
func (c *chunks) reply(text string, state int, rich any) {
	reply := []any{"rc_" + c.id, []string{text}, nil, nil, nil, nil, nil, nil, []int{state}, nil, nil, nil, rich}
	c.message(nil, nil, []any{reply}, lab.Object{"43": world.Model})
}

// markdown returns the answer's text. Citations are marks with the numbers of the sources, and
// related questions are buttons at the end.
func markdown(answer *world.Answer) string {
	text := world.Markdown(answer.Blocks, func(span world.Span) string {
		switch {
		case span.Cites != nil:
			return mark(answer, span.Cites)
		case span.Strong, span.Product != nil:
			return "**" + world.Escape(span.Text) + "**"
		default:
			return world.Escape(span.Text)
		}
	})
	for _, query := range answer.Related {
		query = html.EscapeString(query)
		text += "\n\n" + `<FollowUp label="` + query + `" query="` + query + `"/>`
	}
	return text
}

// mark returns the mark of a citation.
func mark(answer *world.Answer, cited []world.Source) string {
	numbers := make([]string, len(cited))
	for i, source := range cited {
		numbers[i] = strconv.Itoa(answer.Footnote(source))
	}
	return "[cite: " + strings.Join(numbers, ", ") + "]"
}

// rich returns what accompanies the text: images, the sources of the marks, and the pages that no
// mark cites.
func rich(answer *world.Answer) []any {
	var images, groups, others []any
	for _, image := range answer.Images {
		images = append(images, []any{[]any{[]any{image}}})
	}
	cited := map[string]bool{}
	for _, block := range answer.Blocks {
		for _, span := range slices.Concat(block.Lines...) {
			if span.Cites == nil {
				continue
			}
			var entries []any
			for _, source := range span.Cites {
				cited[source.URL] = true
				entries = append(entries, []any{nil, nil, nil, []any{page(source)}})
			}
			groups = append(groups, []any{[]string{" " + mark(answer, span.Cites)}, entries})
		}
	}
	for _, source := range answer.Sources {
		if !cited[source.URL] {
			others = append(others, page(source))
		}
	}
	return []any{nil, images, nil, nil, nil, nil, nil, nil, lab.Object{"44": groups, "45": others}}
}

// page returns a source: its icon, its address and its title.
func page(source world.Source) []any { return []any{nil, source.URL, source.Title} }
