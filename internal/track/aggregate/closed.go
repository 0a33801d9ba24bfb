package aggregate

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
	"earshot/internal/track/stats"
)

// ClosedSweeps is what is known of the closed sweeps of a tracker by some rules.
type ClosedSweeps struct {
	tracker *tracking.Tracker
	rules   *tracking.Rules
	named   *tracking.Rules // the first that looked for the same brands
	panel   *analysis.Panel
	zone    *schedule.Rule
	prompts []*tracking.TrackerPart
	targets []*tracking.TrackerPart
	index   map[int]int // of prompts, by number
	weights map[int]float64
	All     []*tracking.Sweep // closed ones, by when they were due
	tallies map[string]*tracking.Tally
	asked   map[int]*asked // by version of the definition
}

// asked is what a version of the definition asks, by number.
type asked struct {
	samples          int
	prompts, targets []int
	indices          []int // of the prompts, in the order of the tracker's
	weights          int64
}

// Closed reads that of a tracker.
func (s *Counter) Closed(ctx context.Context, t *tracking.Tracker, r *tracking.Rules) (*ClosedSweeps, error) {
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

// readClosed reads what an Aggregate needs besides the sweeps.
func (s *Counter) readClosed(ctx context.Context, b *Aggregate, all []*tracking.Sweep) (*ClosedSweeps, error) {
	h := &ClosedSweeps{
		tracker: b.Tracker, rules: b.Rules, panel: b.Panel, zone: b.Zone, All: all,
		index: map[int]int{}, weights: map[int]float64{}, tallies: map[string]*tracking.Tally{}, asked: map[int]*asked{},
	}
	rules, err := s.store.Rules(ctx, b.Tracker.Organization, b.Tracker.ID)
	if err != nil {
		return nil, err
	}
	h.named = ruleset.FirstAlike(rules, b.Rules)
	if h.prompts, err = s.store.TrackerPrompts(ctx, b.Tracker); err != nil {
		return nil, err
	}
	if h.targets, err = s.store.TrackerTargets(ctx, b.Tracker); err != nil {
		return nil, err
	}
	for i, p := range h.prompts {
		var prompt earshot.TrackedPrompt
		_ = json.Unmarshal(p.Definition, &prompt) // as it was stored
		h.index[p.ID], h.weights[p.ID] = i, cmp.Or(prompt.Weight, 1)
	}
	for _, sweep := range all {
		if h.asked[sweep.Version] == nil {
			if err := s.noteAsked(ctx, h, sweep.Version); err != nil {
				return nil, err
			}
		}
	}
	tallies, err := s.store.Tallies(ctx, b.Rules)
	for _, tally := range tallies {
		if len(tally.Sums) > 0 && tally.Sums[0] == sheetsFormat {
			h.tallies[tally.Sweep] = tally
		}
	}
	return h, err
}

// noteAsked reads what a version of the definition asks.
func (s *Counter) noteAsked(ctx context.Context, h *ClosedSweeps, version int) error {
	p, err := s.definitions.Plan(ctx, h.tracker, version)
	if err != nil {
		return err
	}
	a := &asked{samples: p.Definition.Samples}
	prompts, targets := map[int]bool{}, map[int]bool{}
	for _, c := range p.Cells {
		if !prompts[c.Prompt] {
			prompts[c.Prompt] = true
			a.prompts = append(a.prompts, c.Prompt)
		}
		if !targets[c.Target] {
			targets[c.Target] = true
			a.targets = append(a.targets, c.Target)
		}
	}
	for _, prompt := range a.prompts {
		if index, known := h.index[prompt]; known {
			a.indices = append(a.indices, index)
		}
	}
	slices.Sort(a.indices)
	a.weights = weightsHash(a.prompts, h.weights)
	h.asked[version] = a
	return nil
}

// fresh tells whether a sweep is added up, by the weights of today.
func (h *ClosedSweeps) fresh(sweep *tracking.Sweep) bool {
	tally := h.tallies[sweep.ID]
	return tally != nil && tally.Weights == h.asked[sweep.Version].weights
}

// fill counts the answers of an Aggregate's sweeps: from their tallies, and from the analyses of
// those that have none.
func (s *Counter) fill(ctx context.Context, b *Aggregate, h *ClosedSweeps) error {
	read := collector{
		ClosedSweeps: h, places: map[string]int{}, sources: b.need.Sources,
		sheets: make([]map[sheetKey][]*metric.CellCounts, len(b.Sweeps)), surfaces: make([]map[int]map[string]int, len(b.Sweeps)),
	}
	kept := map[string][]keptSheet{}
	var rows []*tracking.Sweep
	answers := 0
	for i, sweep := range b.Sweeps {
		read.places[sweep.ID] = i
		read.reset(i)
		tally := h.tallies[sweep.ID]
		if tally == nil || b.need.Sources != metric.NoSources {
			rows = append(rows, sweep)
			answers += sweep.Answered
			continue
		}
		sheets, err := unpackSheets(tally.Sums)
		if err != nil {
			return err
		}
		kept[sweep.ID] = sheets
		for _, sheet := range sheets {
			read.note(i, sheet.target, sheet.surface, sheet.answers)
		}
	}
	if most := min(MaxCounted, maxHeavy/weightOf(1, h.panel)); answers > most && !b.need.later {
		return schema.Invalid("from", "these are %d answers that are not added up yet, and at most %d are counted together: choose a shorter time", answers, most)
	}
	if err := s.readAnalyses(ctx, rows, &read); err != nil {
		return err
	}
	if slices.ContainsFunc(b.Sweeps, func(sweep *tracking.Sweep) bool { return !sweep.Pruned && sweep.Answered > 0 && !h.fresh(sweep) }) && h.rules.Version > 0 {
		s.wantTallies(h.rules)
	}
	if err := b.open(&read); err != nil {
		return err
	}
	for _, sweep := range rows {
		for key, tallies := range read.sheets[read.places[sweep.ID]] {
			if err := b.AddCounts(sweep.ID, b.keys.of(key.target, key.surface), tallies); err != nil {
				return err
			}
		}
	}
	return s.addKept(ctx, b, h, kept)
}

// open makes the metric.Dataset, of what the sweeps asked and where they were answered.
func (b *Aggregate) open(read *collector) error {
	def := metric.Definition{Name: b.Tracker.Name, Brands: b.Panel.Brands, Samples: 1}
	numbers := make([]int, 0, len(read.prompts))
	for _, p := range read.prompts {
		var prompt earshot.TrackedPrompt
		_ = json.Unmarshal(p.Definition, &prompt) // as it was stored
		numbers = append(numbers, p.ID)
		def.Prompts = append(def.Prompts, metric.Prompt{
			Text: p.Name, Version: p.ID, Weight: read.weights[p.ID], Tags: prompt.Tags, Branded: b.Panel.Branded(p.Name),
		})
	}
	b.prompts = read.prompts
	b.keys = read.targetKeys(read.targets, &def)
	for i, sweep := range b.Sweeps {
		def.Sweeps = append(def.Sweeps, read.sweepOf(b.Zone, i, sweep, b.keys))
	}
	b.Breaks = b.breaksOf(read.ClosedSweeps)
	def.Breaks = b.metricBreaks(read.ClosedSweeps)
	if n := len(b.Sweeps); n > 0 && b.watched != nil { // as the newest sweep was watched
		newest, targets := b.Sweeps[n-1], []string{}
		for _, target := range read.asked[newest.Version].targets {
			targets = append(targets, read.targetName(target))
		}
		def.CUSUM.H = b.watched.Threshold(len(b.watched.SeriesKeys(targets)), newest.DueAt)
	}
	var err error
	if b.Dataset, err = metric.NewDataset(def); err != nil {
		return err
	}
	b.NumberPrompts(numbers)
	b.MadeUp = slices.ContainsFunc(def.Targets, func(t metric.Target) bool { return t.Surface == LabSurface })
	return nil
}

// addKept adds what is kept of sweeps: all of it where that is little or wanted, else
// their sums, and cells as far as these are not kept together.
func (s *Counter) addKept(ctx context.Context, b *Aggregate, h *ClosedSweeps, kept map[string][]keptSheet) error {
	whole := map[string]bool{} // sweeps whose own cells are needed
	for _, sweep := range b.Sweeps {
		if kept[sweep.ID] != nil {
			whole[sweep.ID] = true
		}
	}
	if b.large() && !b.need.Cells {
		if err := s.addSpans(ctx, b, h, whole); err != nil {
			return err
		}
	}
	for _, sweep := range b.Sweeps {
		if kept[sweep.ID] != nil && !h.fresh(sweep) {
			whole[sweep.ID] = true
		}
	}
	cells, err := s.store.TallyCells(ctx, h.rules, slices.Sorted(maps.Keys(whole)))
	if err != nil {
		return err
	}
	for _, sweep := range b.Sweeps {
		if err := b.addSweep(h, sweep, kept[sweep.ID], cells[sweep.ID]); err != nil {
			return err
		}
	}
	if b.large() {
		return nil
	}
	return b.Unpack()
}

// addSweep adds the kept sheets of a sweep, with its cells where there are some.
func (b *Aggregate) addSweep(h *ClosedSweeps, sweep *tracking.Sweep, sums []keptSheet, stored []byte) error {
	cells := map[sheetKey]string{}
	if stored != nil {
		sheets, err := unpackSheets(stored)
		if err != nil {
			return err
		}
		for _, sheet := range sheets {
			cells[sheetKey{sheet.target, sheet.surface}] = sheet.contents
		}
	}
	for _, sheet := range sums {
		all := metric.Sheet{Cells: cells[sheetKey{sheet.target, sheet.surface}]}
		var err error
		if h.fresh(sweep) {
			all.Groups, err = metric.UnpackGroups(sheet.contents, len(h.panel.Brands))
		} else {
			all.Groups, err = b.Fold(all.Cells)
		}
		if err == nil {
			err = b.AddSheet(sweep.ID, b.keys.of(sheet.target, sheet.surface), all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addSpans adds cells that are kept together, where all of their sweeps are wanted in the
// same period, and takes these out of those whose own cells are needed.
func (s *Counter) addSpans(ctx context.Context, b *Aggregate, h *ClosedSweeps, whole map[string]bool) error {
	stored, err := s.store.TallySpans(ctx, h.rules)
	if err != nil {
		return err
	}
	if len(h.missingSpans(stored)) > 0 {
		s.wantTallies(h.rules)
	}
	inRange := map[int]map[int][]*tracking.Sweep{}
	for _, days := range spanDays {
		inRange[days] = ranges(h.All, days)
	}
	for _, span := range stored {
		sweeps := inRange[span.Days][span.Number]
		if slices.ContainsFunc(sweeps, func(sweep *tracking.Sweep) bool {
			return !whole[sweep.ID] || b.periodOf(sweep) != b.periodOf(sweeps[0])
		}) || string(span.Sweeps) != string(sweepIDs(sweeps)) {
			continue
		}
		if err := s.store.ReadSpanCells(ctx, span); err != nil {
			return err
		}
		if span.Cells == nil {
			continue
		}
		sheets, err := unpackSheets(span.Cells)
		if err != nil {
			return err
		}
		var ids []string
		for _, sweep := range sweeps {
			ids = append(ids, sweep.ID)
			delete(whole, sweep.ID)
		}
		cells := map[string]string{}
		for _, sheet := range sheets {
			cells[b.keys.of(sheet.target, sheet.surface)] = sheet.contents
		}
		if err := b.AddSpan(ids, cells); err != nil {
			return err
		}
	}
	return nil
}

// targetKeys are the names of targets by surface: one that was answered by several has a
// name for each, since surfaces are not mixed.
type targetKeys map[int]map[string]string

// of is the name of a target for answers of a surface; its only one where that has none.
func (k targetKeys) of(target int, surface string) string { return k[target][surface] }

// targetKeys makes the targets of a definition.
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
		var target earshot.Target
		_ = json.Unmarshal(t.Definition, &target) // as it was stored
		keys[t.ID] = map[string]string{}
		surfaces := seen[t.ID]
		if len(surfaces) == 0 {
			// What never answered is missing where the others are.
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

// sweepOf is a sweep with what it asked. What is missing is so on the surface that
// answered most.
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
