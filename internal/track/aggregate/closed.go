package aggregate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/stats"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
	"earshot/internal/track/tally"
)

// ClosedSweeps contains the closed sweeps of a tracker, and their tallies by some rules.
type ClosedSweeps struct {
	All []*tracking.Sweep // by due time

	tracker    *tracking.Tracker
	rules      *analysing.Rules
	firstRules *analysing.Rules // the first rules with the same brands
	panel      *analysis.Panel
	zone       *schedule.Rule
	prompts    []*tracking.TrackerPart
	targets    []*tracking.TrackerPart
	index      map[int]int     // indices of prompts, by number
	weights    map[int]float64 // weights of prompts, by number
	tallies    map[string]*analysing.Tally
	asked      map[int]*asked // by version of the definition
}

// asked contains what one version of the definition asks.
type asked struct {
	samples          int
	prompts, targets []int // sorted numbers
	indices          []int // sorted indices of the prompts
	weights          int64 // hash of the weights of the prompts
}

// Closed reads the closed sweeps of a tracker.
func (s *Counter) Closed(ctx context.Context, t *tracking.Tracker, r *analysing.Rules) (*ClosedSweeps, error) {
	d, err := s.definitions.Of(t)
	if err != nil {
		return nil, err
	}
	panel, err := s.panels.Panel(r)
	if err != nil {
		return nil, err
	}
	all, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.readClosed(ctx, &Aggregate{Tracker: t, Rules: r, Panel: panel, Zone: d.Zone()}, all)
}

// readClosed reads what the sweeps of an Aggregate asked, and their tallies: of all closed sweeps if
// the Aggregate has none, and all tallies if it is large.
func (s *Counter) readClosed(ctx context.Context, b *Aggregate, all []*tracking.Sweep) (*ClosedSweeps, error) {
	h := &ClosedSweeps{
		tracker: b.Tracker, rules: b.Rules, panel: b.Panel, zone: b.Zone, All: all,
		index: map[int]int{}, weights: map[int]float64{}, tallies: map[string]*analysing.Tally{}, asked: map[int]*asked{},
	}
	rules, err := s.analyses.Rules(ctx, b.Tracker.Organization, b.Tracker.ID)
	if err != nil {
		return nil, err
	}
	h.firstRules = ruleset.FirstAlike(rules, b.Rules)
	if h.prompts, err = s.store.TrackerPrompts(ctx, b.Tracker); err != nil {
		return nil, err
	}
	if h.targets, err = s.store.TrackerTargets(ctx, b.Tracker); err != nil {
		return nil, err
	}
	for i, p := range h.prompts {
		prompt := definition.Decoded[earshot.TrackedPrompt](p)
		h.index[p.ID], h.weights[p.ID] = i, cmp.Or(prompt.Weight, 1)
	}
	needed := b.Sweeps
	if len(needed) == 0 {
		needed = all
	}
	for _, sweep := range needed {
		if h.asked[sweep.Version] == nil {
			if err := s.readAsked(ctx, h, sweep.Version); err != nil {
				return nil, err
			}
		}
	}
	var wanted []string // none: all
	if !b.isLarge() {   // merged cells of a large aggregate need the tallies of whole ranges of days
		for _, sweep := range b.Sweeps {
			wanted = append(wanted, sweep.ID)
		}
	}
	tallies, err := s.analyses.Tallies(ctx, b.Rules, wanted...)
	for _, stored := range tallies {
		if tally.IsReadable(stored.Sums) {
			h.tallies[stored.Sweep] = stored
		}
	}
	for _, sweep := range all {
		if stored := h.tallies[sweep.ID]; stored != nil && !sweep.Pruned && stored.Answers != sweep.Answered {
			s.dropTally(h, sweep, fmt.Errorf("it has %d answers, the sweep %d", stored.Answers, sweep.Answered))
		}
	}
	return h, err
}

// damagedTally is an error of the stored tally of a sweep.
type damagedTally struct {
	sweep *tracking.Sweep
	cause error
}

func (d *damagedTally) Unwrap() error { return d.cause }

func (d *damagedTally) Error() string {
	return fmt.Sprintf("the tally of sweep %s: %v", d.sweep.ID, d.cause)
}

// fill sets the dataset of an Aggregate. It drops damaged tallies.
func (s *Counter) fill(ctx context.Context, b *Aggregate, h *ClosedSweeps) error {
	for {
		err := s.tryFill(ctx, b, h)
		damaged, ok := errors.AsType[*damagedTally](err)
		if !ok || !errors.Is(damaged.cause, tally.ErrDamaged) {
			return err
		}
		s.dropTally(h, damaged.sweep, damaged.cause)
	}
}

// readAsked reads what a version of the definition asks.
func (s *Counter) readAsked(ctx context.Context, h *ClosedSweeps, version int) error {
	p, err := s.definitions.Plan(ctx, h.tracker, version)
	if err != nil {
		return err
	}
	a := &asked{samples: p.Definition.Samples}
	prompts, targets := map[int]bool{}, map[int]bool{}
	for _, c := range p.Cells {
		prompts[c.Prompt], targets[c.Target] = true, true
	}
	a.prompts, a.targets = slices.Sorted(maps.Keys(prompts)), slices.Sorted(maps.Keys(targets))
	for _, prompt := range a.prompts {
		if index, known := h.index[prompt]; known {
			a.indices = append(a.indices, index)
		}
	}
	slices.Sort(a.indices)
	a.weights = hashWeights(a.prompts, h.weights)
	h.asked[version] = a
	return nil
}

// isCurrent reports whether a sweep has a tally that is based on the current weights.
func (h *ClosedSweeps) isCurrent(sweep *tracking.Sweep) bool {
	tally := h.tallies[sweep.ID]
	return tally != nil && tally.Weights == h.asked[sweep.Version].weights
}

// tryFill reads the tallies of the sweeps, and counts the analyses of sweeps without a tally. Source
// counts are not in tallies. It returns a damagedTally.
func (s *Counter) tryFill(ctx context.Context, b *Aggregate, h *ClosedSweeps) error {
	read := newCollector(h, b.Sweeps, b.options)
	stored := map[string][]metric.Sheet{}
	var uncounted []*tracking.Sweep
	answers := 0
	for i, sweep := range b.Sweeps {
		tally := h.tallies[sweep.ID]
		if tally == nil || b.options.Sources != metric.NoSources || b.options.cited {
			uncounted = append(uncounted, sweep)
			answers += sweep.Answered
			continue
		}
		sheets, err := metric.Tallies.DecodeGroups(tally.Sums, len(h.panel.Brands))
		if err != nil {
			return &damagedTally{sweep, err}
		}
		stored[sweep.ID] = sheets
		for _, sheet := range sheets {
			read.addAnswers(i, sheet.Target, sheet.Surface, sheet.Answers)
		}
	}
	if most := min(MaxCounted, maxSmallSize/sizeOf(1, h.panel)); answers > most && !b.options.isUnlimited {
		return errUncounted(answers, most)
	}
	if err := s.readAnalyses(ctx, uncounted, read); err != nil {
		return err
	}
	b.cited = read.cited
	if slices.ContainsFunc(b.Sweeps, func(sweep *tracking.Sweep) bool { return !sweep.Pruned && sweep.Answered > 0 && !h.isCurrent(sweep) }) && h.rules.Version > 0 {
		s.queueTallies(h.rules)
	}
	if err := b.newDataset(read); err != nil {
		return err
	}
	for _, sweep := range uncounted {
		for key, cells := range read.cells[read.indices[sweep.ID]] {
			if err := b.AddCounts(sweep.ID, b.keys[key.Target][key.Surface], cells); err != nil {
				return err
			}
		}
	}
	return s.addStored(ctx, b, h, stored)
}

func errUncounted(answers, most int) error {
	return schema.Invalid("from", "selects %d answers that are not counted yet, but one request counts at most %d: choose a shorter period", answers, most)
}

// newDataset sets an empty dataset whose definition states what the sweeps asked and which
// surfaces answered.
func (b *Aggregate) newDataset(read *collector) error {
	def := metric.Definition{Name: b.Tracker.Name, Brands: b.Panel.Brands, Samples: 1}
	numbers := make([]int, 0, len(read.prompts))
	for _, p := range read.prompts {
		prompt := definition.Decoded[earshot.TrackedPrompt](p)
		numbers = append(numbers, p.ID)
		def.Prompts = append(def.Prompts, metric.Prompt{
			Text: p.Name, Version: p.ID, Weight: read.weights[p.ID], Tags: prompt.Tags, Branded: b.Panel.Branded(p.Name),
		})
	}
	b.keys = read.targetKeys(read.targets, &def)
	for i, sweep := range b.Sweeps {
		def.Sweeps = append(def.Sweeps, read.sweepOf(b.Zone, i, sweep, b.keys))
	}
	b.Breaks = b.breaksOf(read.ClosedSweeps)
	def.Breaks = b.metricBreaks(read.ClosedSweeps)
	if n := len(b.Sweeps); n > 0 && b.definition != nil { // the threshold that alerts used at the newest sweep
		newest, targets := b.Sweeps[n-1], []string{}
		for _, target := range read.asked[newest.Version].targets {
			targets = append(targets, read.target(target).Name)
		}
		def.CUSUM.H = b.definition.Threshold(b.definition.Detectors(targets), newest.DueAt)
	}
	var err error
	if b.Dataset, err = metric.NewDataset(def); err != nil {
		return err
	}
	b.NumberPrompts(numbers)
	b.MadeUp = slices.ContainsFunc(def.Targets, func(t metric.Target) bool { return t.Surface == LabSurface })
	return nil
}

// addStored adds the stored sheets of sweeps. A large aggregate gets the cells of a sweep
// only if no span contains them, unless the options ask for all cells.
func (s *Counter) addStored(ctx context.Context, b *Aggregate, h *ClosedSweeps, stored map[string][]metric.Sheet) error {
	needCells := map[string]bool{}
	for id := range stored {
		needCells[id] = true
	}
	if b.isLarge() && !b.options.Cells {
		if err := s.addSpans(ctx, b, h, needCells); err != nil {
			return err
		}
	}
	for _, sweep := range b.Sweeps {
		if stored[sweep.ID] != nil && !h.isCurrent(sweep) {
			needCells[sweep.ID] = true
		}
	}
	cells, err := s.analyses.TallyCells(ctx, h.rules, slices.Sorted(maps.Keys(needCells)))
	if err != nil {
		return err
	}
	for _, sweep := range b.Sweeps {
		if err := b.addSweep(h, sweep, stored[sweep.ID], cells[sweep.ID]); err != nil {
			return &damagedTally{sweep, err}
		}
	}
	if b.isLarge() {
		return nil
	}
	return b.Decode()
}

// addSweep adds the stored sheets of a sweep, and their cells if stored is not nil.
func (b *Aggregate) addSweep(h *ClosedSweeps, sweep *tracking.Sweep, sheets []metric.Sheet, stored []byte) error {
	cells := map[tally.Key]tally.Cells{}
	if stored != nil {
		decoded, err := metric.Tallies.DecodeCells(stored)
		if err != nil {
			return err
		}
		for _, sheet := range decoded {
			cells[sheet.Key] = sheet.Cells
		}
	}
	for _, sheet := range sheets {
		sheet.Cells = cells[sheet.Key]
		var err error
		if !h.isCurrent(sweep) {
			sheet.Groups, err = b.Regroup(sheet.Cells)
		}
		if err == nil {
			err = b.AddSheet(sweep.ID, b.keys[sheet.Target][sheet.Surface], sheet)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addSpans adds each stored span whose sweeps are all in the same period of the Aggregate.
// It removes these sweeps from needCells.
func (s *Counter) addSpans(ctx context.Context, b *Aggregate, h *ClosedSweeps, needCells map[string]bool) error {
	stored, err := s.analyses.TallySpans(ctx, h.rules)
	if err != nil {
		return err
	}
	if len(h.missingSpans(stored)) > 0 {
		s.queueTallies(h.rules)
	}
	inRange := map[int]map[int][]*tracking.Sweep{}
	for _, days := range spanDays {
		inRange[days] = ranges(h.All, days)
	}
	for _, span := range stored {
		sweeps := inRange[span.Days][span.Number]
		if slices.ContainsFunc(sweeps, func(sweep *tracking.Sweep) bool {
			return !needCells[sweep.ID] || b.periodOf(sweep) != b.periodOf(sweeps[0])
		}) || string(span.Sweeps) != string(sweepIDs(sweeps)) {
			continue
		}
		if err := s.analyses.ReadSpanCells(ctx, span); err != nil {
			return err
		}
		if span.Cells == nil {
			continue
		}
		sheets, err := metric.Tallies.DecodeCells(span.Cells)
		if err != nil {
			return err
		}
		var ids []string
		for _, sweep := range sweeps {
			ids = append(ids, sweep.ID)
			delete(needCells, sweep.ID)
		}
		cells := map[string]tally.Cells{}
		for _, sheet := range sheets {
			cells[b.keys[sheet.Target][sheet.Surface]] = sheet.Cells
		}
		if err := b.AddSpan(ids, cells); err != nil {
			return err
		}
	}
	return nil
}

// targetKeys are the keys of targets in the dataset, by number and surface. A target that
// several surfaces answered has a key for each surface.
type targetKeys map[int]map[string]string

// targetKeys adds the targets to a definition and returns their keys.
func (r *collector) targetKeys(targets []*tracking.TrackerPart, def *metric.Definition) targetKeys {
	seen, overall := map[int]map[string]int{}, map[string]int{}
	for _, sweep := range r.surfaces {
		for target, surfaces := range sweep {
			for surface, n := range surfaces {
				if seen[target] == nil {
					seen[target] = map[string]int{}
				}
				seen[target][surface] += n
				overall[surface] += n
			}
		}
	}
	keys := targetKeys{}
	for _, t := range targets {
		target := definition.Decoded[earshot.Target](t)
		keys[t.ID] = map[string]string{}
		surfaces := seen[t.ID]
		if len(surfaces) == 0 {
			// A target without answers counts as missing on the most frequent surface.
			surfaces = map[string]int{stats.Mode(overall): 0}
		}
		for _, surface := range slices.Sorted(maps.Keys(surfaces)) {
			key := t.Name
			if len(surfaces) > 1 {
				key += "@" + surface
			}
			keys[t.ID][surface] = key
			def.Targets = append(def.Targets, metric.Target{Key: key, Surface: surface, Provider: target.Provider, Country: target.Country})
		}
	}
	return keys
}

// sweepOf returns a sweep of the dataset. Missing answers of a target count for the surface
// that answered most often.
func (r *collector) sweepOf(zone *schedule.Rule, i int, sweep *tracking.Sweep, keys targetKeys) metric.AskedSweep {
	a := r.asked[sweep.Version]
	found := metric.AskedSweep{ID: sweep.ID, Slot: zone.Civil(sweep.DueAt).String(), Samples: a.samples, Prompts: a.indices, Targets: []string{}}
	for _, target := range a.targets {
		key, known := keys[target][stats.Mode(r.surfaces[i][target])]
		if !known {
			key = keys[target][slices.Sorted(maps.Keys(keys[target]))[0]]
		}
		found.Targets = append(found.Targets, key)
	}
	return found
}
