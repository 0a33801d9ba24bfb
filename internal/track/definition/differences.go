package definition

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"earshot"
)

// Changes returns the differences between two definitions, and the series whose values are
// not comparable after the change.
func Changes(before, after *earshot.TrackerDefinition) (changes []earshot.TrackerChange, breaks []earshot.SeriesBreak) {
	note := func(kind, part, what string) {
		changes = append(changes, earshot.TrackerChange{Kind: kind, Part: part, What: what})
	}
	isNew := len(before.Prompts) == 0
	prompts := compareLists(before.Prompts, after.Prompts, promptKey, func(kind string, p earshot.TrackedPrompt) { note(kind, "prompts", p.Text) })
	compareLists(before.Targets, after.Targets, targetKey, func(kind string, t earshot.Target) { note(kind, "targets", targetName(t)) })
	brands := compareLists(before.Brands, after.Brands, func(b earshot.Brand) string { return b.Name }, func(kind string, b earshot.Brand) {
		note(kind, "brands", b.Name)
		if kind == "changed" && !isNew {
			breaks = append(breaks, earshot.SeriesBreak{Series: b.Name, Reason: "its names or domains changed; stored answers can be analysed again"})
		}
	})
	compareLists(before.Sources, after.Sources, func(s earshot.SourceType) string { return s.Domain }, func(kind string, s earshot.SourceType) {
		note(kind, "sources", s.Domain+": "+s.Type)
	})
	compareLists(before.Facts, after.Facts, func(f earshot.Fact) string { return f.Brand + "\x00" + f.Name }, func(kind string, f earshot.Fact) {
		note(kind, "facts", f.Name+" of "+f.Brand+": "+f.Is)
	})
	for _, part := range []struct {
		name          string
		before, after any
	}{
		{"title", before.Title, after.Title},
		{"schedule", before.Schedule, after.Schedule},
		{"samples", max(1, before.Samples), max(1, after.Samples)},
		{"fallback", cmp.Or(before.Fallback, "allowed"), cmp.Or(after.Fallback, "allowed")},
		{"ceiling", before.Ceiling, after.Ceiling},
		{"judge", before.Judge, after.Judge},
		{"keep", before.Keep, after.Keep},
		{"keepNumbers", before.KeepNumbers, after.KeepNumbers},
		{"alerts", before.Alerts, after.Alerts},
		{"reports", before.Reports, after.Reports},
		{"exports", before.Exports, after.Exports},
		{"webhook", before.Webhook, after.Webhook},
	} {
		if !reflect.DeepEqual(part.before, part.after) {
			note("changed", part.name, fmt.Sprintf("%s → %s", compactJSON(part.before), compactJSON(part.after)))
		}
	}
	if !isNew && prompts {
		breaks = append(breaks, earshot.SeriesBreak{Series: "*", Reason: "prompts were added or removed"})
	}
	if !isNew && brands {
		breaks = append(breaks, earshot.SeriesBreak{Series: "*", Reason: "brands were added or removed"})
	}
	return changes, breaks
}

// compareLists calls note for each added, removed and changed item, and reports whether any
// item was added or removed.
func compareLists[T any](before, after []T, key func(T) string, note func(kind string, item T)) (differ bool) {
	was := make(map[string]T, len(before))
	for _, item := range before {
		was[key(item)] = item
	}
	is := make(map[string]bool, len(after))
	for _, item := range after {
		is[key(item)] = true
		old, known := was[key(item)]
		switch {
		case !known:
			note("added", item)
			differ = true
		case compactJSON(old) != compactJSON(item):
			note("changed", item)
		}
	}
	for _, item := range before {
		if !is[key(item)] {
			note("removed", item)
			differ = true
		}
	}
	return differ
}

// compactJSON formats a value for the list of changes.
func compactJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error() // never happens
	}
	return strings.ReplaceAll(string(text), "null", "none")
}
