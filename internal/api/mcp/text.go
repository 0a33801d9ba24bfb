package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"earshot"
)

// readable is the part of any provider's result that is shown to a model as text.
type readable struct {
	Surface        earshot.Surface         `json:"surface"`
	Text           string                  `json:"text"`
	Sources        []earshot.Source        `json:"sources"`
	SearchOverview *readable               `json:"searchoverview"`
	OrganicResults []earshot.OrganicResult `json:"organicResults"`
	NewsResults    []earshot.NewsResult    `json:"newsResults"`
}

// resultText is the text of a result: an answer with numbered sources, or the list of
// search results.
func resultText(answer []byte) (string, error) {
	var r readable
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", err
	}
	var b strings.Builder
	r.write(&b)
	text := strings.TrimRight(b.String(), "\n")
	if text == "" {
		text = "Nothing was found."
	}
	if r.Surface == earshot.SurfaceLab {
		text = madeUp + "\n\n" + text
	}
	return text, nil
}

// madeUp stands before what the lab answers: a model must not take it for true.
const madeUp = "Made up: the built-in lab wrote this for trying things out, and nothing in it is real."

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

// item writes one numbered entry: a line with its title and link, and one with its
// description. Line breaks are removed, since they would look like further entries.
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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func countriesText(answer []byte) (string, error) {
	var codes []string
	err := json.Unmarshal(answer, &codes)
	return strings.Join(codes, ", "), err
}

func statesText(answer []byte) (string, error) {
	var states []earshot.State
	if err := json.Unmarshal(answer, &states); err != nil {
		return "", err
	}
	lines := make([]string, len(states))
	for i, s := range states {
		lines[i] = s.Code + " " + s.Name
	}
	if len(lines) == 0 {
		return "This country has no states to choose from.", nil
	}
	return strings.Join(lines, "\n"), nil
}

func quoteText(answer []byte) (string, error) {
	var quote struct {
		CreditsToCharge int64 `json:"creditsToCharge"`
	}
	err := json.Unmarshal(answer, &quote)
	return fmt.Sprintf("It costs at most %d credits.", quote.CreditsToCharge), err
}

func creditsText(answer []byte) (string, error) {
	var credits earshot.Credits
	err := json.Unmarshal(answer, &credits)
	return fmt.Sprintf("%d credits are left, %d of them held by running calls; the plan %s grants %d on %s.",
		credits.Remaining, credits.Held, credits.Plan, credits.PerCycle, credits.CycleResetsAt.Format(time.DateOnly)), err
}
