package contents

import (
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/definition"
)

// seen contains where and when something occurs. Its zero value is ready to use.
type seen struct {
	answers     int
	prompts     map[int]int // number of answers by prompt
	targets     map[int]bool
	first, last time.Time
	newest      string // id of the last answer
}

// add counts an answer. It must be called once for each answer.
func (s *seen) add(a *tracking.Answer) {
	if s.answers == 0 {
		s.prompts, s.targets = map[int]int{}, map[int]bool{}
		s.first, s.last, s.newest = a.AskedAt, a.AskedAt, a.ID
	}
	s.answers++
	s.prompts[a.Prompt]++
	s.targets[a.Target] = true
	if a.AskedAt.Before(s.first) {
		s.first = a.AskedAt
	}
	if a.AskedAt.After(s.last) {
		s.last, s.newest = a.AskedAt, a.ID
	}
}

// prompt returns the prompt with the most answers, the first of several.
func (s *seen) prompt() (best int) {
	for _, prompt := range slices.Sorted(maps.Keys(s.prompts)) {
		if s.prompts[prompt] > s.prompts[best] {
			best = prompt
		}
	}
	return best
}

func (s *seen) view(names *definition.PartNames) earshot.Seen {
	view := earshot.Seen{
		Answers: s.answers, Prompts: len(s.prompts), FirstSeen: earshot.Timestamp{Time: s.first}, LastSeen: earshot.Timestamp{Time: s.last}, Newest: s.newest,
	}
	for target := range s.targets {
		view.Targets = append(view.Targets, names.Targets[target])
	}
	slices.Sort(view.Targets)
	return view
}
