package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
	if err := json.Unmarshal(answer, &r); err != nil {
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

// madeUp precedes answers of the lab, so that a model does not mistake them for real ones.
const madeUp = "Made up: the built-in lab wrote this answer for testing. Nothing in it is real."

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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// textOf returns a function that decodes an answer into a T and writes it as text.
func textOf[T any](write func(*T) string) func(answer []byte) (string, error) {
	return func(answer []byte) (string, error) {
		value := new(T)
		if err := json.Unmarshal(answer, value); err != nil {
			return "", err
		}
		return write(value), nil
	}
}

func countriesText(codes *[]string) string { return strings.Join(*codes, ", ") }

func statesText(states *[]earshot.State) string {
	lines := make([]string, len(*states))
	for i, s := range *states {
		lines[i] = s.Code + " " + s.Name
	}
	if len(lines) == 0 {
		return "Only the country US has states."
	}
	return strings.Join(lines, "\n")
}

func quoteText(quote *earshot.Quote) string {
	return fmt.Sprintf("The maximum cost is %d credits.", quote.CreditsToCharge)
}

func creditsText(credits *earshot.Credits) string {
	return fmt.Sprintf("%d credits are left, %d of them reserved for running calls; the plan %s grants %d on %s.",
		credits.Remaining, credits.Held, credits.Plan, credits.PerCycle, credits.CycleResetsAt.Format(time.DateOnly))
}

// taskText returns the task's status and its result.
func taskText(answer []byte) (string, error) {
	var record earshot.TaskRecord
	if err := json.Unmarshal(answer, &record); err != nil {
		return "", err
	}
	text := fmt.Sprintf("Task %s (%s): %s", record.Task.ID, record.Task.TaskType, record.Task.Status)
	if record.Error != nil {
		text += "\n\n" + string(record.Error)
	}
	if record.Result == nil {
		return text, nil
	}
	result, err := resultText(record.Result)
	return text + "\n\n" + result, err
}
