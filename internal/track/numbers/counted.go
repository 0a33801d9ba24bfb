package numbers

import (
	"context"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
)

// Counted returns a predicate for the answers that the metrics include. If the filter does
// not ask for them, the predicate accepts all answers.
func (s *Reader) Counted(ctx context.Context, t *tracking.Tracker, q *earshot.AnswerFilter) (match func(*tracking.Answer) bool, err error) {
	chosen, err := selection("filter", q.Filter)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 && !q.Counted && q.DueFrom == "" && q.DueTo == "" {
		return func(*tracking.Answer) bool { return true }, nil
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return nil, err
	}
	zone := d.Zone()
	due, err := definition.ParseSpan(zone, "dueFrom", q.DueFrom, "dueTo", q.DueTo)
	if err != nil {
		return nil, err
	}
	_, panel, err := s.panels.CurrentPanel(ctx, t)
	if err != nil {
		return nil, err
	}
	closed, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	sweeps := map[string]map[string]string{} // values by id and dimension
	for _, sweep := range closed {
		if due.Has(sweep.DueAt) && (!q.Counted || !sweep.Pruned) {
			sweeps[sweep.ID] = metric.SlotValues(zone.Civil(sweep.DueAt).String())
			sweeps[sweep.ID]["sweep"] = sweep.ID
		}
	}
	parts, err := s.selectable(ctx, t, panel.Branded)
	if err != nil {
		return nil, err
	}
	if err := checkSelection("filter", chosen, parts.values(panel)); err != nil {
		return nil, err
	}
	return func(a *tracking.Answer) bool {
		times, known := sweeps[a.Sweep]
		if !known || a.Outcome == earshot.OutcomePending || q.Counted && !q.Branded && parts.branded[a.Prompt] {
			return false
		}
		for dimension, wanted := range chosen {
			has := []string{times[dimension], parts.targets[a.Target][dimension], parts.prompts[a.Prompt]}
			switch dimension {
			case "brand":
				continue // a filter by brand changes the panel, not the answers
			case "surface":
				surface, _ := analysis.SplitOrigin(a.Surface)
				has = []string{a.Surface, surface}
			case "target":
				has = []string{has[1], has[1] + "@" + a.Surface}
			case "tag":
				has = parts.tags[a.Prompt]
			case "prompt":
				has = []string{has[2], strconv.Itoa(a.Prompt)}
			default:
				has = has[:2]
			}
			if !slices.ContainsFunc(wanted, func(value string) bool { return slices.Contains(has, value) }) {
				return false
			}
		}
		return true
	}, nil
}

// selectable contains the values of prompts and targets in each dimension, by number.
type selectable struct {
	prompts map[int]string
	tags    map[int][]string
	branded map[int]bool
	targets map[int]map[string]string
}

func (s *Reader) selectable(ctx context.Context, t *tracking.Tracker, branded func(string) bool) (*selectable, error) {
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return nil, err
	}
	targets, err := s.store.TrackerTargets(ctx, t)
	if err != nil {
		return nil, err
	}
	found := &selectable{prompts: known.Prompts, tags: known.Tags, branded: map[int]bool{}, targets: map[int]map[string]string{}}
	for number, text := range known.Prompts {
		found.branded[number] = branded(text)
	}
	for _, part := range targets {
		target := definition.Decoded[earshot.Target](part)
		found.targets[part.ID] = map[string]string{"target": part.Name, "provider": target.Provider, "country": target.Country}
	}
	return found, nil
}

// values returns the known values of each dimension.
func (s *selectable) values(panel *analysis.Panel) map[string][]string {
	known := map[string][]string{}
	for _, brand := range panel.Brands {
		known["brand"] = append(known["brand"], brand.Name)
	}
	for number, text := range s.prompts {
		known["prompt"] = append(known["prompt"], text, strconv.Itoa(number))
		known["tag"] = append(known["tag"], s.tags[number]...)
	}
	for _, target := range s.targets {
		for dimension, value := range target {
			known[dimension] = append(known[dimension], value)
		}
	}
	return known
}
