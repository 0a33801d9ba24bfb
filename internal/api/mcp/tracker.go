package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"earshot"
)

// byLab marks answers that no provider gave.
const byLab = "made up by the built-in lab"

func trackersText(list *earshot.TrackerList) string {
	if len(list.Trackers) == 0 {
		return "There are no trackers."
	}
	var b strings.Builder
	for i := range list.Trackers {
		b.WriteString(trackerLine(&list.Trackers[i]) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func trackerLine(t *earshot.Tracker) string {
	name := t.Name
	if t.Title != t.Name {
		name += fmt.Sprintf(" %q", t.Title)
	}
	text := fmt.Sprintf("%s (%s): %d prompts on %d targets, %d brands, at most %d credits per sweep", name, t.State, t.Prompts, t.Targets, t.Brands, t.Cost.Sweep)
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

// maxListed is the maximum number of items in a list of the text. The structured result has
// all of them.
const maxListed = 100

func trackerText(t *earshot.Tracker) string {
	var b strings.Builder
	b.WriteString(trackerLine(t))
	if t.Definition == nil {
		return b.String()
	}
	list(&b, "Prompts", t.Definition.Prompts, func(p earshot.TrackedPrompt) string { return p.Text })
	list(&b, "Targets", t.Definition.Targets, func(p earshot.Target) string { return p.Provider + "/" + p.Country })
	list(&b, "Brands", t.Definition.Brands, func(brand earshot.Brand) string {
		if brand.Own {
			return brand.Name + " (own)"
		}
		return brand.Name
	})
	return b.String()
}

func appliedText(a *earshot.TrackerApplied) string {
	var b strings.Builder
	switch {
	case a.DryRun:
		b.WriteString("Dry run, nothing was stored. ")
	case a.Created:
		b.WriteString("Created. ")
	case !a.Changed:
		b.WriteString("Nothing changed. ")
	}
	fmt.Fprintf(&b, "%s; the schedule costs at most %d credits per month", trackerLine(&a.Tracker), a.Tracker.Cost.Month)
	list(&b, "Changes", a.Changes, func(c earshot.TrackerChange) string { return c.Kind + " " + c.Part + ": " + c.What })
	list(&b, "Warnings", a.Warnings, func(warning string) string { return warning })
	list(&b, "Series that break", a.Breaks, func(s earshot.SeriesBreak) string { return s.Series + ": " + s.Reason })
	list(&b, "Next sweeps", a.Tracker.NextSlots, func(slot earshot.ComingSlot) string { return slot.Slot })
	return b.String()
}

func startedText(s *earshot.SweepStarted) string {
	text := "Started sweep "
	if s.Replayed {
		text = "This key already started sweep "
	}
	return text + sweepLine(&s.Sweep)
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

func sweepsText(page *earshot.SweepPage) string {
	return pageText(page.Sweeps, page.NextCursor, sweepLine)
}

// pageText returns a line for each item of a page, and the cursor of the next page.
func pageText[T any](items []T, next *string, line func(*T) string) string {
	var b strings.Builder
	for i := range items {
		b.WriteString(line(&items[i]) + "\n")
	}
	switch {
	case next != nil:
		fmt.Fprintf(&b, "For the next page, use the cursor %s", *next)
	case len(items) == 0:
		b.WriteString("The list is empty.")
	}
	return strings.TrimRight(b.String(), "\n")
}

func alertsText(page *earshot.AlertPage) string {
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

func reviewsText(page *earshot.ReviewPage) string {
	return pageText(page.Reviews, page.NextCursor, reviewLine)
}

func reviewLine(r *earshot.Review) string {
	what := fmt.Sprintf("%s %s about %s (%s, %d answers)", r.ID, r.Kind, oneLine(r.Brand), r.State, r.Answers)
	if r.Fact != nil {
		what += fmt.Sprintf(": %s is %s, answers say %s", oneLine(r.Fact.Name), oneLine(r.Fact.Expected), oneLine(r.Fact.Found))
	}
	for _, e := range r.Examples[:min(1, len(r.Examples))] {
		what += ": " + oneLine(e.Sentence)
	}
	if r.Opinion != nil {
		what += fmt.Sprintf(" (%s says: %s)", r.Opinion.Model, r.Opinion.Opinion)
	}
	return what
}

func answersText(page *earshot.AnswerPage) string {
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
