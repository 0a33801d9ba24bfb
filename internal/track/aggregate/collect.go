package aggregate

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// collector is what is known while analyses are read.
type collector struct {
	*ClosedSweeps
	places   map[string]int // of sweeps
	sources  metric.Sources
	sheets   []map[sheetKey][]*metric.CellCounts // by sweep; tallies by prompt
	surfaces []map[int]map[string]int            // answers by sweep, target and surface

	found  analysis.Found // the last one, whose memory is used for the next
	answer metric.Observation
	texts  map[string]string // domains and URLs that were counted, each once
}

// sheetKey is a target and a surface that answered it.
type sheetKey struct {
	target  int
	surface string
}

// reset forgets what was read of a sweep.
func (r *collector) reset(at int) {
	r.sheets[at], r.surfaces[at] = map[sheetKey][]*metric.CellCounts{}, map[int]map[string]int{}
}

// note counts answers of a target.
func (r *collector) note(at, target int, surface string, answers int) {
	if r.surfaces[at][target] == nil {
		r.surfaces[at][target] = map[string]int{}
	}
	r.surfaces[at][target][surface] += answers
}

func (r *collector) add(a *tracking.Analysis) error {
	at, wanted := r.places[a.Sweep]
	prompt, known := r.index[a.Prompt]
	if !wanted || !known {
		return nil
	}
	if err := r.found.Decode(a.Content); err != nil {
		return err
	}
	r.found.Fill(&r.answer, r.panel)
	r.answer.Outcome = metric.Outcome(a.Outcome)
	r.intern(&r.answer)
	key := sheetKey{a.Target, a.Surface}
	sheet := r.sheets[at][key]
	if sheet == nil {
		sheet = make([]*metric.CellCounts, len(r.prompts))
		r.sheets[at][key] = sheet
	}
	if sheet[prompt] == nil {
		sheet[prompt] = metric.NewCellCounts(len(r.panel.Brands))
		sheet[prompt].CountSources(r.sources)
	}
	sheet[prompt].Add(r.panel.Brands, r.answer)
	r.note(at, a.Target, a.Surface, 1)
	return nil
}

// intern has the texts that are counted in memory once, rather than all of each analysis.
func (r *collector) intern(a *metric.Observation) {
	once := func(text string) string {
		if r.texts == nil {
			r.texts = map[string]string{}
		}
		known, ok := r.texts[text]
		if !ok {
			known = strings.Clone(text)
			r.texts[known] = known
		}
		return known
	}
	for i := range a.Citations {
		c := &a.Citations[i]
		if r.sources&metric.ByDomain != 0 {
			c.Domain = once(c.Domain)
		}
		if r.sources&metric.ByURL != 0 {
			c.URL = once(c.URL)
		}
	}
	if r.sources&metric.BySupport != 0 {
		for _, m := range a.Mentions {
			for i := range m.Domains {
				m.Domains[i] = once(m.Domains[i])
			}
		}
	}
}

// readAnalyses reads what was found, and finds what was not looked for yet: an analysis
// follows from the answer, so that it is the same whoever makes it and when.
func (s *Counter) readAnalyses(ctx context.Context, sweeps []*tracking.Sweep, read *collector) error {
	if len(sweeps) == 0 {
		return nil
	}
	wanted := map[string]int{}
	for _, sweep := range sweeps {
		wanted[sweep.ID] = read.places[sweep.ID]
	}
	from, until := ActiveTime(sweeps)
	read.places = wanted // others in that time are kept
	if err := s.store.Analyses(ctx, read.rules, from, until, read.add); err != nil {
		return err
	}
	for _, sweep := range sweeps {
		n := 0
		for _, surfaces := range read.surfaces[wanted[sweep.ID]] {
			for _, count := range surfaces {
				n += count
			}
		}
		if n >= sweep.Answered {
			continue
		}
		if err := s.readResults(ctx, sweep, read); err != nil {
			return err
		}
	}
	return nil
}

// readResults analyses all answers of a sweep of which some analysis is missing. It may
// have been stored meanwhile, so that the store cannot tell which.
func (s *Counter) readResults(ctx context.Context, sweep *tracking.Sweep, read *collector) error {
	read.reset(read.places[sweep.ID])
	for after := uuid.Nil.String(); ; {
		answers, err := s.store.SweepResults(ctx, read.tracker, sweep.ID, after, ruleset.Batch)
		if err != nil || len(answers) == 0 {
			return err
		}
		for _, a := range answers {
			after = a.ID
			question := ""
			if i, known := read.index[a.Prompt]; known {
				question = read.prompts[i].Name
			}
			if err := read.add(s.panels.Analyse(a, ruleset.LivePanel{Version: read.rules.Version, Panel: read.panel}, question)); err != nil {
				return err
			}
		}
	}
}
