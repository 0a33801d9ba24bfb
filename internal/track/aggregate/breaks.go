package aggregate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/stats"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// badShare is the share of unreadable or blocked answers of a target that makes a break.
const badShare = 0.2

// sweepFacts describe the answers of a sweep independently of rules. They are stored when
// the sweep is closed.
type sweepFacts struct {
	Parser  int                  `json:"parser"` // version of the parsers
	Targets map[int]*targetFacts `json:"targets"`
}

// targetFacts describe the answers of a target in a sweep.
type targetFacts struct {
	Surface    string `json:"surface,omitempty"` // of most answers, with the vendor, see analysis.Origin
	Model      string `json:"model,omitempty"`   // of most answers
	Ended      int    `json:"ended"`             // all questions, answered or not
	Blocked    int    `json:"blocked,omitempty"`
	Unreadable int    `json:"unreadable,omitempty"`
}

// NoteFacts stores the facts of a closed sweep.
func (s *Counter) NoteFacts(ctx context.Context, sweep *tracking.Sweep) error {
	endings, err := s.store.Endings(ctx, sweep)
	if err != nil {
		return err
	}
	facts := sweepFacts{Parser: provider.ParserVersion, Targets: map[int]*targetFacts{}}
	surfaces, models := map[int]map[string]int{}, map[int]map[string]int{}
	for _, e := range endings {
		t := facts.Targets[e.Target]
		if t == nil {
			t = &targetFacts{}
			facts.Targets[e.Target] = t
			surfaces[e.Target], models[e.Target] = map[string]int{}, map[string]int{}
		}
		t.Ended += e.Count
		if e.Reason == string(earshot.ReasonBlocked) {
			t.Blocked += e.Count
		}
		if e.Reason == string(earshot.ReasonUnreadable) || e.Reason == string(earshot.ReasonEmpty) {
			t.Unreadable += e.Count
		}
		surfaces[e.Target][e.Surface] += e.Count
		models[e.Target][e.Model] += e.Count
	}
	for target, t := range facts.Targets {
		t.Surface, t.Model = stats.Mode(surfaces[target]), stats.Mode(models[target])
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("encode the facts of a sweep: %w", err)
	}
	return s.store.SaveFacts(sweep, text)
}

// breaksOf returns the breaks of an Aggregate: sweeps whose numbers cannot be compared with
// earlier ones.
func (b *Aggregate) breaksOf(h *ClosedSweeps) (breaks []earshot.MetricBreak) {
	var before *tracking.Sweep
	last := map[int]targetFacts{} // the last known facts of each target
	parser := 0
	for _, sweep := range b.Sweeps {
		add := func(target int, kind, reason string) {
			breaks = append(breaks, earshot.MetricBreak{
				Sweep: sweep.ID, At: earshot.Timestamp{Time: sweep.DueAt}, Target: h.target(target).Name, Kind: kind, Reason: reason, Open: kind != "panel",
			})
		}
		if before != nil {
			h.definitionBreaks(before, sweep, add)
			if at := h.firstRules.CreatedAt; h.firstRules.Version > 1 && before.DueAt.Before(at) && !sweep.DueAt.Before(at) {
				add(0, "panel", fmt.Sprintf("brands or their names changed in %s; earlier sweeps were analysed again", ruleset.Name(h.firstRules)))
			}
			if was, is := h.countedBy(before), h.countedBy(sweep); !ruleset.Alike(was, is) {
				add(0, "panel", fmt.Sprintf("answers before are deleted, and were counted by %s; from here on %s counts", ruleset.Name(was), ruleset.Name(is)))
				breaks[len(breaks)-1].Open = true
			}
		}
		before = sweep
		var facts sweepFacts
		if sweep.Facts == nil || json.Unmarshal(sweep.Facts, &facts) != nil {
			continue
		}
		if parser != 0 && facts.Parser != parser {
			add(0, "parser", fmt.Sprintf("the parsers changed from version %d to %d", parser, facts.Parser))
		}
		parser = facts.Parser
		for _, target := range slices.Sorted(maps.Keys(facts.Targets)) {
			now := facts.Targets[target]
			was := last[target]
			now.breaks(&was, func(kind, reason string) { add(target, kind, reason) })
			last[target] = *now
		}
	}
	return breaks
}

// breaks calls add for each difference from the facts before. If the surface or model of a
// sweep is unknown, breaks sets the last known one.
func (t *targetFacts) breaks(was *targetFacts, add func(kind, reason string)) {
	t.Surface, t.Model = cmp.Or(t.Surface, was.Surface), cmp.Or(t.Model, was.Model)
	if was.Surface != "" && t.Surface != was.Surface {
		addOrigin(was.Surface, t.Surface, add)
	}
	if was.Model != "" && t.Model != was.Model {
		add("model", fmt.Sprintf("the model of most answers changed from %s to %s", was.Model, t.Model))
	}
	for _, share := range []struct {
		kind, what, over string
		is, was          bool
	}{
		{"parserHealth", "of the answers could not be read", "answers can be read again", isBad(t.Unreadable, t.Ended), isBad(was.Unreadable, was.Ended)},
		{"blocked", "of the questions were blocked", "questions are no longer blocked", isBad(t.Blocked, t.Ended), isBad(was.Blocked, was.Ended)},
	} {
		switch {
		case share.is && !share.was:
			add(share.kind, fmt.Sprintf("%d %% or more %s", int(100*badShare), share.what))
		case share.was && !share.is:
			add(share.kind, share.over)
		}
	}
}

// addOrigin calls add for a change of the surface or of the vendor that answers.
func addOrigin(before, after string, add func(kind, reason string)) {
	surfaceBefore, viaBefore := analysis.SplitOrigin(before)
	surface, via := analysis.SplitOrigin(after)
	named := func(surface, via string) string {
		if via == "" {
			return surface
		}
		return surface + " (" + via + ")"
	}
	switch {
	case surface != surfaceBefore:
		add("surface", fmt.Sprintf("the surface of most answers changed from %s to %s", named(surfaceBefore, viaBefore), named(surface, via)))
	case via == "":
		add("via", fmt.Sprintf("most answers came from %s; now they come directly from the provider", viaBefore))
	case viaBefore == "":
		add("via", fmt.Sprintf("most answers came directly from the provider; now they come from %s", via))
	default:
		add("via", fmt.Sprintf("the vendor of most answers changed from %s to %s", viaBefore, via))
	}
}

func isBad(n, of int) bool { return of > 0 && float64(n) >= badShare*float64(of) }

// definitionBreaks calls add for each difference between the definitions of two sweeps.
func (h *ClosedSweeps) definitionBreaks(before, sweep *tracking.Sweep, add func(target int, kind, reason string)) {
	was, is := h.asked[before.Version], h.asked[sweep.Version]
	if was == is {
		return
	}
	if !slices.Equal(was.prompts, is.prompts) {
		add(0, "promptSet", "the set of prompts changed")
	}
	providerOf := func(number int) string { return definition.Decoded[earshot.Target](h.target(number)).Provider }
	for _, target := range is.targets {
		if slices.Contains(was.targets, target) {
			continue
		}
		for _, removed := range was.targets {
			if !slices.Contains(is.targets, removed) && providerOf(removed) == providerOf(target) {
				add(target, "locale", fmt.Sprintf("it replaces %s", h.target(removed).Name))
			}
		}
	}
}

// countedBy returns the rules by which a sweep was counted.
func (h *ClosedSweeps) countedBy(sweep *tracking.Sweep) *analysing.Rules {
	if c := h.counted[sweep.ID]; c != nil && h.versions[c.Rules] != nil {
		return h.versions[c.Rules]
	}
	return h.rules
}

// target returns the target with a number, or an empty one if it is unknown.
func (h *ClosedSweeps) target(number int) *tracking.TrackerPart {
	if i := slices.IndexFunc(h.targets, func(t *tracking.TrackerPart) bool { return t.ID == number }); i >= 0 {
		return h.targets[i]
	}
	return &tracking.TrackerPart{}
}

// metricBreaks returns the open breaks by target key of the dataset.
func (b *Aggregate) metricBreaks(h *ClosedSweeps) (found []metric.Break) {
	for _, br := range b.Breaks {
		if !br.Open {
			continue
		}
		if br.Target == "" {
			found = append(found, metric.Break{Sweep: br.Sweep, Reason: br.Reason})
		}
		for _, t := range h.targets {
			for _, key := range b.keys[t.ID] {
				if br.Target == t.Name {
					found = append(found, metric.Break{Sweep: br.Sweep, Target: key, Reason: br.Reason})
				}
			}
		}
	}
	return found
}

// Touching returns the open breaks of a target at any of the sweeps, except the first of
// them. The target "*" means all targets.
func (b *Aggregate) Touching(target string, sweeps []string) (found []earshot.MetricBreak) {
	first := true
	for _, sweep := range b.Sweeps {
		if !slices.Contains(sweeps, sweep.ID) {
			continue
		}
		for _, br := range b.Breaks {
			matches := br.Target == "" || target[0] == '*' || target == br.Target || strings.HasPrefix(target, br.Target+"@")
			if br.Sweep == sweep.ID && br.Open && matches && !first {
				found = append(found, br)
			}
		}
		first = false
	}
	return found
}
