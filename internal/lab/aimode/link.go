package aimode

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"html/template"
	"strconv"

	"earshot/internal/lab/redirect"
	"earshot/internal/lab/world"
)

// link is a link as the engine serves it: as it is, wrapped, or hidden. Which of
// them depends on the link alone.
func link(destination string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(destination)) // a hash takes everything
	switch h.Sum32() % 3 {
	case 0:
		return redirect.Hide(destination)
	case 1:
		return redirect.Wrap(destination)
	default:
		return destination
	}
}

// chip is a citation in the text: it shows the first of its sources and tells of
// all of them in notes beside it.
type chip struct {
	ID      string
	Link    string
	Site    string
	More    int // how many sources it has beside the first
	Label   string
	Sources []world.Source
}

func newChip(sources []world.Source) chip {
	first := sources[0]
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, sources) // a hash takes everything
	c := chip{
		ID:      fmt.Sprintf("%016x", h.Sum64()),
		Link:    link(first.URL),
		Site:    first.Site,
		More:    len(sources) - 1,
		Label:   first.Site,
		Sources: sources,
	}
	if c.More > 0 {
		c.Label += " (+" + strconv.Itoa(c.More) + ")"
	}
	c.Label += " - " + first.Title + ". View related links"
	return c
}

// Notes are comments in the page, one for each source, in which its scripts find
// what a chip stands for.
func (c chip) Notes() []template.HTML {
	notes := make([]template.HTML, len(c.Sources))
	for i, s := range c.Sources {
		told, _ := json.Marshal([]any{[]any{ // strings always marshal
			c.ID, []any{s.Title, s.Snippet, nil, nil, []string{s.Site}, link(s.URL)},
		}})
		// JSON escapes what would end a comment.
		notes[i] = template.HTML("<!--Lab1|" + html.EscapeString(string(told)) + "-->") //nolint:gosec // see above
	}
	return notes
}
