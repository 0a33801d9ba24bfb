package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"earshot"
)

// byLab marks what no provider said.
const byLab = "made up by the built-in lab"

func trackersText(answer []byte) (string, error) {
	var list earshot.TrackerList
	if err := json.Unmarshal(answer, &list); err != nil {
		return "", err
	}
	if len(list.Trackers) == 0 {
		return "There are no trackers.", nil
	}
	var b strings.Builder
	for i := range list.Trackers {
		b.WriteString(trackerLine(&list.Trackers[i]) + "\n")
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func trackerLine(t *earshot.Tracker) string {
	text := fmt.Sprintf("%s (%s): %d prompts on %d targets, %d brands, at most %d credits a sweep", t.Name, t.State, t.Prompts, t.Targets, t.Brands, t.Cost.Sweep)
	if t.NextSweepAt != nil {
		text += ", next sweep " + t.NextSweepAt.UTC().Format(time.RFC3339)
	}
	if t.LastSweep != nil {
		text += "; last sweep " + sweepLine(t.LastSweep)
	}
	if t.Demo {
		text += "; its history is " + byLab
	}
	return text
}

// maxListed is how many prompts, targets or brands a text lists; programs find all in
// the result.
const maxListed = 100

func trackerText(answer []byte) (string, error) {
	var t earshot.Tracker
	if err := json.Unmarshal(answer, &t); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(trackerLine(&t))
	if t.Definition == nil {
		return b.String(), nil
	}
	list(&b, "Prompts", t.Definition.Prompts, func(p earshot.TrackedPrompt) string { return p.Text })
	list(&b, "Targets", t.Definition.Targets, func(p earshot.Target) string { return p.Provider + "/" + p.Country })
	list(&b, "Brands", t.Definition.Brands, func(brand earshot.Brand) string {
		if brand.Own {
			return brand.Name + " (own)"
		}
		return brand.Name
	})
	return b.String(), nil
}

func list[T any](b *strings.Builder, title string, items []T, name func(T) string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n\n%s:", title)
	for i, item := range items {
		if i == maxListed {
			fmt.Fprintf(b, "\n- … and %d more", len(items)-i)
			return
		}
		b.WriteString("\n- " + oneLine(name(item)))
	}
}

func sweepLine(s *earshot.Sweep) string {
	text := fmt.Sprintf("%s (%s): %s, %d of %d answered, %d missing", s.Slot, s.ID, s.State, s.Progress.Answered, s.Progress.Planned, s.Progress.Missing)
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

func sweepsText(answer []byte) (string, error) {
	var page earshot.SweepPage
	if err := json.Unmarshal(answer, &page); err != nil {
		return "", err
	}
	return pageText(page.Sweeps, page.NextCursor, sweepLine)
}

// pageText is a line for each item of a page, and where it goes on.
func pageText[T any](items []T, next *string, line func(*T) string) (string, error) {
	var b strings.Builder
	for i := range items {
		b.WriteString(line(&items[i]) + "\n")
	}
	switch {
	case next != nil:
		fmt.Fprintf(&b, "There is more: cursor %s", *next)
	case len(items) == 0:
		b.WriteString("There are none.")
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func alertsText(answer []byte) (string, error) {
	var page earshot.AlertPage
	if err := json.Unmarshal(answer, &page); err != nil {
		return "", err
	}
	return pageText(page.Alerts, page.NextCursor, alertLine)
}

func alertLine(a *earshot.Alert) string {
	state := "acknowledged"
	if a.Open {
		state = "open"
	}
	if a.MadeUp {
		state += ", " + byLab
	}
	return fmt.Sprintf("%s %s %s (%s): %s", a.ID, a.RaisedAt.UTC().Format(time.RFC3339), a.Kind, state, oneLine(a.Summary))
}

func answersText(answer []byte) (string, error) {
	var page earshot.AnswerPage
	if err := json.Unmarshal(answer, &page); err != nil {
		return "", err
	}
	return pageText(page.Answers, page.NextCursor, answerLine)
}

func answerLine(a *earshot.TrackedAnswer) string {
	outcome := string(a.Outcome)
	if a.Reason != "" {
		outcome += " (" + a.Reason + ")"
	}
	if a.MadeUp {
		outcome += ", " + byLab
	}
	return fmt.Sprintf("%s %s %s [%d] %s: %s", a.ID, a.AskedAt.UTC().Format(time.RFC3339), a.Target, a.PromptID, oneLine(a.Prompt), outcome)
}

func answerText(answer []byte) (string, error) {
	var a earshot.TrackedAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", err
	}
	if a.Result == nil {
		return answerLine(&a), nil
	}
	text, err := resultText(a.Result)
	return answerLine(&a) + "\n\n" + text, err
}
