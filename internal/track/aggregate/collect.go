package aggregate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/cited"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// collector counts the analyses of sweeps. It identifies a sweep by its index in
// Aggregate.Sweeps.
type collector struct {
	*ClosedSweeps
	indices  map[string]int // of sweeps, by id
	sources  metric.Sources
	cells    []map[cited.Key][]*metric.CellCounts // by sweep, sheet and prompt
	surfaces []map[int]map[string]int             // number of answers by sweep, target and surface

	found    analysis.Analysis  // reused for each analysis
	answer   metric.Observation // reused for each analysis
	interned map[string]string  // domains and URLs
	cited    []*cited.Writer    // by sweep; nil: sources are not collected
}

func newCollector(h *ClosedSweeps, sweeps []*tracking.Sweep, o Options) *collector {
	r := &collector{
		ClosedSweeps: h, indices: map[string]int{}, sources: o.Sources, interned: map[string]string{},
		cells: make([]map[cited.Key][]*metric.CellCounts, len(sweeps)), surfaces: make([]map[int]map[string]int, len(sweeps)),
	}
	if o.cited {
		r.cited = make([]*cited.Writer, len(sweeps))
	}
	for i, sweep := range sweeps {
		r.indices[sweep.ID] = i
		r.reset(i)
	}
	return r
}

// reset drops the counts of a sweep.
func (r *collector) reset(at int) {
	r.cells[at], r.surfaces[at] = map[cited.Key][]*metric.CellCounts{}, map[int]map[string]int{}
	if r.cited != nil {
		r.cited[at] = cited.NewWriter()
	}
}

// addAnswers adds to the number of answers of a target on a surface.
func (r *collector) addAnswers(at, target int, surface string, answers int) {
	if r.surfaces[at][target] == nil {
		r.surfaces[at][target] = map[string]int{}
	}
	r.surfaces[at][target][surface] += answers
}

func (r *collector) add(a *analysing.Analysis) error {
	at, wanted := r.indices[a.Sweep]
	prompt, known := r.index[a.Prompt]
	if !wanted || !known {
		return nil
	}
	if err := r.found.Decode(a.Content); err != nil {
		return err
	}
	key := cited.Key{Target: a.Target, Surface: a.Surface}
	if r.cited != nil {
		asked, err := uuid.Parse(a.Answer)
		if err != nil {
			return fmt.Errorf("the id of an answer: %w", err)
		}
		r.cited[at].Add(key, a.Prompt, a.Sample, time.Unix(asked.Time().UnixTime()), &r.found)
	}
	r.found.Fill(&r.answer, r.panel)
	r.answer.Outcome = metric.Outcome(a.Outcome)
	r.intern(&r.answer)
	cells := r.cells[at][key]
	if cells == nil {
		cells = make([]*metric.CellCounts, len(r.prompts))
		r.cells[at][key] = cells
	}
	if cells[prompt] == nil {
		cells[prompt] = metric.NewCellCounts(len(r.panel.Brands))
		cells[prompt].CountSources(r.sources)
	}
	cells[prompt].Add(r.panel.Brands, r.answer)
	r.addAnswers(at, a.Target, a.Surface, 1)
	return nil
}

// intern replaces the domains and URLs that are counted by one copy of each. Otherwise the
// counts would keep the memory of all analyses.
func (r *collector) intern(a *metric.Observation) {
	once := func(text string) string {
		known, ok := r.interned[text]
		if !ok {
			known = strings.Clone(text)
			r.interned[known] = known
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

// readAnalyses counts the stored analyses of sweeps. If a sweep lacks some, readAnalyses
// analyses its answers: an analysis depends only on the answer and the rules.
func (s *Counter) readAnalyses(ctx context.Context, sweeps []*tracking.Sweep, read *collector) error {
	if len(sweeps) == 0 {
		return nil
	}
	wanted := map[string]int{}
	for _, sweep := range sweeps {
		wanted[sweep.ID] = read.indices[sweep.ID]
	}
	from, until := ActiveTime(sweeps)
	read.indices = wanted // ignores other sweeps that were active in that time
	if err := s.analyses.Analyses(ctx, read.rules, from, until, read.add); err != nil {
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

// readResults analyses and counts all answers of a sweep. It does not use the stored
// analyses, because the missing ones may have been stored in the meantime.
func (s *Counter) readResults(ctx context.Context, sweep *tracking.Sweep, read *collector) error {
	read.reset(read.indices[sweep.ID])
	known, err := s.definitions.Names(ctx, read.tracker)
	if err != nil {
		return err
	}
	for after := uuid.Nil.String(); ; {
		answers, err := s.store.SweepResults(ctx, read.tracker, sweep.ID, after, ruleset.Batch)
		if err != nil || len(answers) == 0 {
			return err
		}
		for _, a := range answers {
			after = a.ID
			if err := read.add(s.panels.Analyse(a, ruleset.LivePanel{Version: read.rules.Version, Panel: read.panel}, known.Question(a))); err != nil {
				return err
			}
		}
	}
}
