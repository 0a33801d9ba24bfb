package aggregate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/stats"
)

// badShare is from which share of the answers of a target on a sweep is not like others:
// that could not be read, or that were blocked.
const badShare = 0.2

// sweepFacts are what the targets of a sweep answered with. They do not depend on rules,
// and are stored when the sweep is closed.
type sweepFacts struct {
	Parser  int                  `json:"parser"` // version of the code that reads documents
	Targets map[int]*targetFacts `json:"targets"`
}

// targetFacts are those of a target: the surface and the model that most answers came
// from, and how its questions ended.
type targetFacts struct {
	Surface    string `json:"surface,omitempty"`
	Model      string `json:"model,omitempty"`
	Ended      int    `json:"ended"`
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
	count := func(counts map[int]map[string]int, target int, name string, n int) {
		if name == "" {
			return
		}
		if counts[target] == nil {
			counts[target] = map[string]int{}
		}
		counts[target][name] += n
	}
	for _, e := range endings {
		t := facts.Targets[e.Target]
		if t == nil {
			t = &targetFacts{}
			facts.Targets[e.Target] = t
		}
		t.Ended += e.Count
		if e.Reason == string(earshot.ReasonBlocked) {
			t.Blocked += e.Count
		}
		if e.Reason == string(earshot.ReasonUnreadable) || e.Reason == string(earshot.ReasonEmpty) {
			t.Unreadable += e.Count
		}
		count(surfaces, e.Target, e.Surface, e.Count)
		count(models, e.Target, e.Model, e.Count)
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

// breaksOf are the sweeps of an Aggregate from which on numbers are not of one kind with those
// before.
func (b *Aggregate) breaksOf(h *ClosedSweeps) (breaks []earshot.NumberBreak) {
	var before *tracking.Sweep
	last := map[int]*targetFacts{} // what is known last of each target
	parser := 0
	for _, sweep := range b.Sweeps {
		note := func(target int, kind, reason string) {
			name := ""
			if target != 0 {
				name = h.targetName(target)
			}
			breaks = append(breaks, earshot.NumberBreak{
				Sweep: sweep.ID, At: earshot.Timestamp{Time: sweep.DueAt}, Target: name, Kind: kind, Reason: reason, Open: kind != "panel",
			})
		}
		if before != nil {
			h.definitionBreaks(before, sweep, note)
			if at := h.named.CreatedAt; h.named.Version > 1 && before.DueAt.Before(at) && !sweep.DueAt.Before(at) {
				note(0, "panel", fmt.Sprintf("brands or their names are others since %s; sweeps before were analysed again by them", ruleset.Name(h.named)))
			}
		}
		before = sweep
		var facts sweepFacts
		if sweep.Facts == nil || json.Unmarshal(sweep.Facts, &facts) != nil {
			continue
		}
		if parser != 0 && facts.Parser != parser {
			note(0, "parser", fmt.Sprintf("answers are read by version %d of the code, before by %d", facts.Parser, parser))
		}
		parser = facts.Parser
		for _, target := range slices.Sorted(maps.Keys(facts.Targets)) {
			now := facts.Targets[target]
			was := last[target]
			if was == nil {
				was = &targetFacts{}
			}
			now.breaks(was, func(kind, reason string) { note(target, kind, reason) })
			last[target] = now
		}
	}
	return breaks
}

// breaks notes what is another than before. Surface and model stay as they were known
// where a sweep tells none.
func (t *targetFacts) breaks(was *targetFacts, note func(kind, reason string)) {
	if t.Surface == "" {
		t.Surface = was.Surface
	}
	if t.Model == "" {
		t.Model = was.Model
	}
	if was.Surface != "" && t.Surface != was.Surface {
		note("surface", fmt.Sprintf("most answers come from the surface %s, before from %s", t.Surface, was.Surface))
	}
	if was.Model != "" && t.Model != was.Model {
		note("model", fmt.Sprintf("most answers come from the model %s, before from %s", t.Model, was.Model))
	}
	for _, share := range []struct {
		kind, what, over string
		is, was          bool
	}{
		{"parserHealth", "of the answers could not be read", "answers can be read again", bad(t.Unreadable, t.Ended), bad(was.Unreadable, was.Ended)},
		{"blocked", "of the questions were blocked", "questions are no longer blocked", bad(t.Blocked, t.Ended), bad(was.Blocked, was.Ended)},
	} {
		switch {
		case share.is && !share.was:
			note(share.kind, fmt.Sprintf("%d %% or more %s", int(100*badShare), share.what))
		case share.was && !share.is:
			note(share.kind, share.over)
		}
	}
}

func bad(n, of int) bool { return of > 0 && float64(n) >= badShare*float64(of) }

// definitionBreaks notes what a sweep asked that the one before did not.
func (h *ClosedSweeps) definitionBreaks(before, sweep *tracking.Sweep, note func(target int, kind, reason string)) {
	was, is := h.asked[before.Version], h.asked[sweep.Version]
	if was == is {
		return
	}
	sorted := func(numbers []int) []int { return slices.Sorted(slices.Values(numbers)) }
	if !slices.Equal(sorted(was.prompts), sorted(is.prompts)) {
		note(0, "promptSet", "the set of questions is another")
	}
	for _, target := range sorted(is.targets) {
		if slices.Contains(was.targets, target) {
			continue
		}
		for _, gone := range sorted(was.targets) {
			if !slices.Contains(is.targets, gone) && h.target(gone).Provider == h.target(target).Provider {
				note(target, "locale", fmt.Sprintf("it is asked in the place of %s", h.targetName(gone)))
			}
		}
	}
}

// target is the definition of a target, by number.
func (h *ClosedSweeps) target(number int) (target earshot.Target) {
	for _, t := range h.targets {
		if t.ID == number {
			_ = json.Unmarshal(t.Definition, &target) // as it was stored
		}
	}
	return target
}

func (h *ClosedSweeps) targetName(number int) string {
	if i := slices.IndexFunc(h.targets, func(t *tracking.TrackerPart) bool { return t.ID == number }); i >= 0 {
		return h.targets[i].Name
	}
	return ""
}

// metricBreaks are the open breaks as metrics see them: on every surface of a target.
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

// Touching are the breaks between two sweeps, both included, that concern a target of a
// row; "*" is all of them. One before the first sweep touches nothing.
func (b *Aggregate) Touching(target string, sweeps []string) (found []earshot.NumberBreak) {
	first := true
	for _, sweep := range b.Sweeps {
		if !slices.Contains(sweeps, sweep.ID) {
			continue
		}
		for _, br := range b.Breaks {
			concerns := br.Target == "" || target[0] == '*' || target == br.Target || len(target) > len(br.Target) && target[:len(br.Target)+1] == br.Target+"@"
			if br.Sweep == sweep.ID && br.Open && concerns && !first {
				found = append(found, br)
			}
		}
		first = false
	}
	return found
}
