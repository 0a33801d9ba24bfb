package mcp

import (
	"fmt"
	"strings"

	"earshot"
)

// readable is the part of a provider's result that is shown to a model as text.
type readable struct {
	Surface        earshot.Surface         `json:"surface"`
	Text           string                  `json:"text"`
	Sources        []earshot.Source        `json:"sources"`
	SearchOverview *readable               `json:"searchoverview"`
	OrganicResults []earshot.OrganicResult `json:"organicResults"`
	NewsResults    []earshot.NewsResult    `json:"newsResults"`
}

// resultText returns a result as text: an answer with numbered sources, or the list of
// search results.
func resultText(answer []byte) (string, error) {
	var r readable
	if err := read(answer, &r); err != nil {
		return "", err
	}
	var b strings.Builder
	r.write(&b)
	text := strings.TrimRight(b.String(), "\n")
	if text == "" {
		text = "The result is empty."
	}
	if r.Surface == earshot.SurfaceLab {
		text = madeUp + "\n\n" + text
	}
	return text, nil
}

func (r *readable) write(b *strings.Builder) {
	if r.SearchOverview != nil {
		b.WriteString("AI overview:\n\n")
		r.SearchOverview.write(b)
	}
	if r.Text != "" {
		b.WriteString(r.Text + "\n\n")
	}
	if len(r.Sources) > 0 {
		b.WriteString("Sources:\n")
		for _, s := range r.Sources {
			item(b, s.Position, s.Label, s.URL, s.DatePublished, s.Description)
		}
		b.WriteString("\n")
	}
	for _, o := range r.OrganicResults {
		item(b, o.Position, o.Title, o.Link, o.Date, o.Snippet)
	}
	for _, n := range r.NewsResults {
		item(b, n.Position, n.Title, n.Link, strings.TrimPrefix(n.Source+", "+n.Date, ", "), n.Snippet)
	}
}

// item writes one numbered entry: a line with its title and link, and a line with its
// description. Line breaks are removed, because they would look like further entries.
func item(b *strings.Builder, position int, title, link, when, about string) {
	fmt.Fprintf(b, "[%d] %s - %s", position, oneLine(title), link)
	if when != "" {
		fmt.Fprintf(b, " (%s)", oneLine(when))
	}
	b.WriteString("\n")
	if about != "" {
		fmt.Fprintf(b, "    %s\n", oneLine(about))
	}
}

// diffText returns the words of two answers with their differences.
func diffText(diff *earshot.AnswerDiff) string {
	var b strings.Builder
	for _, run := range diff.Words {
		switch run.Kind {
		case "removed":
			b.WriteString("[-" + run.Text + "-]")
		case "added":
			b.WriteString("{+" + run.Text + "+}")
		default:
			b.WriteString(run.Text)
		}
	}
	return b.String()
}
