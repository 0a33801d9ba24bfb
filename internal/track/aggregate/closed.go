package aggregate

import (
	"bytes"
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
	"earshot/internal/track/cells"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// ClosedSweeps contains the closed sweeps of a tracker, and by which rules they were counted.
type ClosedSweeps struct {
	All []*tracking.Sweep // by due time

	tracker    *tracking.Tracker
	rules      *analysing.Rules
	firstRules *analysing.Rules // the first rules with the same brands
	panel      *analysis.Panel
	zone       *schedule.Rule
	prompts    []*tracking.TrackerPart
	targets    []*tracking.TrackerPart
	index      map[int]int                   // indices of prompts, by number
	weights    map[int]float64               // weights of prompts, by number
	counted    map[string]*analysing.Counted // by sweep: these rules, or older ones after its answers were deleted
	versions   map[int]*analysing.Rules      // all rules, by version
	asked      map[int]*asked                // by version of the definition
}

// asked contains what one version of the definition asks.
type asked struct {
	samples          int
	prompts, targets []int // sorted numbers
	indices          []int // sorted indices of the prompts
	weights          int64 // hash of the weights of the prompts, for noise
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
	counted, err := s.countedBy(ctx, r, all)
	if err != nil {
		return nil, err
	}
	return s.readClosed(ctx, &Aggregate{Tracker: t, Rules: r, Panel: panel, Zone: d.Zone()}, all, counted)
}

// countedBy returns by which rules sweeps were counted: by r, or by older rules after their answers
// were deleted. Counts that do not fit their sweep are left out, and are counted again if possible.
func (s *Counter) countedBy(ctx context.Context, r *analysing.Rules, sweeps []*tracking.Sweep) (map[string]*analysing.Counted, error) {
	all, err := s.analyses.CountedSweeps(ctx, r)
	if err != nil {
		return nil, err
	}
	newest := map[string]*analysing.Counted{}
	for _, c := range all {
		c.Organization, c.Tracker = r.Organization, r.Tracker
		if newest[c.Sweep] == nil {
			newest[c.Sweep] = c
		}
	}
	found := map[string]*analysing.Counted{}
	for _, sweep := range sweeps {
		c := newest[sweep.ID]
		switch {
		case c == nil || c.Rules < r.Version && !sweep.Pruned:
		case c.Answers != sweep.Answered:
			s.dropCounted(sweep, c, fmt.Errorf("it has %d answers, the sweep %d", c.Answers, sweep.Answered))
		default:
			found[sweep.ID] = c
		}
	}
	return found, nil
}

// readClosed reads what the sweeps of an Aggregate asked, or all closed sweeps if it has none.
func (s *Counter) readClosed(ctx context.Context, b *Aggregate, all []*tracking.Sweep, counted map[string]*analysing.Counted) (*ClosedSweeps, error) {
	h := &ClosedSweeps{
		tracker: b.Tracker, rules: b.Rules, panel: b.Panel, zone: b.Zone, All: all,
		index: map[int]int{}, weights: map[int]float64{}, counted: counted, versions: map[int]*analysing.Rules{}, asked: map[int]*asked{},
	}
	rules, err := s.analyses.Rules(ctx, b.Tracker.Organization, b.Tracker.ID)
	if err != nil {
		return nil, err
	}
	h.firstRules = ruleset.FirstAlike(rules, b.Rules)
	for _, r := range rules {
		h.versions[r.Version] = r
	}
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
	return h, nil
}

// damagedCounts is an error of the stored counts of a sweep.
type damagedCounts struct {
	sweep string
	cause error
}

func (d *damagedCounts) Unwrap() error { return d.cause }

func (d *damagedCounts) Error() string {
	return fmt.Sprintf("the counts of sweep %s: %v", d.sweep, d.cause)
}

// fill sets the dataset of an Aggregate. It drops damaged counts.
func (s *Counter) fill(ctx context.Context, b *Aggregate, h *ClosedSweeps) error {
	for {
		err := s.tryFill(ctx, b, h)
		damaged, ok := errors.AsType[*damagedCounts](err)
		if !ok || !errors.Is(damaged.cause, cells.ErrDamaged) {
			return err
		}
		at := slices.IndexFunc(b.Sweeps, func(sweep *tracking.Sweep) bool { return sweep.ID == damaged.sweep })
		s.dropCounted(b.Sweeps[at], h.counted[damaged.sweep], damaged.cause)
		delete(h.counted, damaged.sweep)
		if b.Sweeps[at].Pruned { // it cannot be counted again
			b.Sweeps = slices.Delete(slices.Clone(b.Sweeps), at, at+1)
		}
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

// tryFill reads the stored cells of the sweeps, and counts the analyses of sweeps without them.
// Source counts are not stored. It returns a damagedCounts.
func (s *Counter) tryFill(ctx context.Context, b *Aggregate, h *ClosedSweeps) error {
	read := newCollector(h, b.Sweeps, b.options)
	stored := map[string]*analysing.Counted{}
	var uncounted []*tracking.Sweep
	answers := 0
	isLacking := false
	for _, sweep := range b.Sweeps {
		c := h.counted[sweep.ID]
		isLacking = isLacking || c == nil && sweep.Answered > 0
		switch {
		case c != nil && (sweep.Pruned || b.options.Sources == metric.NoSources && !b.options.cited):
			stored[sweep.ID] = c
		case !sweep.Pruned:
			uncounted = append(uncounted, sweep)
			answers += sweep.Answered
		}
	}
	if most := min(MaxCounted, maxBrands/(1+len(h.panel.Brands))); answers > most && !b.options.isUnlimited {
		return errUncounted(answers, most)
	}
	if isLacking && h.rules.Version > 0 {
		s.queueCount(h.rules)
	}
	b.size = answers * countedSize(len(h.panel.Brands))
	var names []*analysing.Cells
	err := s.eachCells(ctx, h, metric.OfNames, stored, func(c *analysing.Cells) error {
		b.size += len(c.Content)
		read.addAnswers(read.indices[c.Sweep], c.Target, c.Surface, c.Answers)
		kept := *c
		kept.Content = bytes.Clone(c.Content)
		names = append(names, &kept)
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.readAnalyses(ctx, uncounted, read); err != nil {
		return err
	}
	b.cited = read.cited
	if err := b.newDataset(read); err != nil {
		return err
	}
	for _, sweep := range uncounted {
		for key, counts := range read.cells[read.indices[sweep.ID]] {
			if err := b.AddCounts(sweep.ID, b.keys[key.Target][key.Surface], counts); err != nil {
				return err
			}
		}
	}
	return s.addStored(ctx, b, h, stored, names)
}

// addStored adds the stored cells of sweeps. names are the cells of the first family, which all queries
// read.
func (s *Counter) addStored(ctx context.Context, b *Aggregate, h *ClosedSweeps, stored map[string]*analysing.Counted, names []*analysing.Cells) error {
	known := map[int][]string{} // brands by version of older rules
	left := map[string]int{}    // answers by sweep
	b.counted, b.brands = h.counted, map[int][]int{}
	for _, c := range stored {
		left[c.Sweep] = c.Answers
		if c.Rules == h.rules.Version || known[c.Rules] != nil {
			continue
		}
		var err error
		if known[c.Rules], err = h.brandsOf(c.Rules); err != nil {
			return err
		}
		for _, name := range known[c.Rules] {
			b.brands[c.Rules] = append(b.brands[c.Rules], slices.IndexFunc(h.panel.Brands, func(p metric.PanelBrand) bool { return p.Name == name }))
		}
	}
	add := func(c *analysing.Cells) error {
		err := b.AddStored(c.Sweep, b.keys[c.Target][c.Surface], metric.Family(c.Family), c.Answers, c.Content, known[c.Rules])
		if err != nil {
			return &damagedCounts{c.Sweep, err}
		}
		return nil
	}
	for _, c := range names {
		left[c.Sweep] -= c.Answers
		if err := add(c); err != nil {
			return err
		}
	}
	for id, n := range left {
		if n != 0 {
			return &damagedCounts{id, cells.ErrDamaged}
		}
	}
	for _, family := range b.options.families() {
		if family == metric.OfNames {
			continue
		}
		err := s.eachCells(ctx, h, family, stored, func(c *analysing.Cells) error {
			b.size += len(c.Content)
			return add(c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// brandsOf returns the brands that a version of the rules knows.
func (h *ClosedSweeps) brandsOf(version int) (names []string, err error) {
	r := h.versions[version]
	if r == nil {
		return nil, fmt.Errorf("there are no rules %d", version)
	}
	set, err := ruleset.Decode(r)
	for _, brand := range set.Brands {
		names = append(names, brand.Name)
	}
	return names, err
}

// eachCells calls each with the stored cells of a family of some sweeps. They are reused for the
// next call.
func (s *Counter) eachCells(ctx context.Context, h *ClosedSweeps, family metric.Family, of map[string]*analysing.Counted, each func(*analysing.Cells) error) error {
	type span struct{ first, last string }
	spans := map[int]span{} // by version of the rules
	for id, c := range of {
		known, ok := spans[c.Rules]
		if !ok {
			known = span{id, id}
		}
		spans[c.Rules] = span{min(known.first, id), max(known.last, id)}
	}
	for _, version := range slices.Sorted(maps.Keys(spans)) {
		r := &analysing.Rules{Organization: h.tracker.Organization, Tracker: h.tracker.ID, Version: version}
		err := s.analyses.EachCells(ctx, r, int(family), spans[version].first, spans[version].last, func(c *analysing.Cells) error {
			if wanted := of[c.Sweep]; wanted == nil || wanted.Rules != version {
				return nil
			}
			return each(c)
		})
		if err != nil {
			return err
		}
	}
	return nil
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
	if c := r.counted[sweep.ID]; c != nil && c.Rules < r.rules.Version {
		found.Brands, _ = r.brandsOf(c.Rules) // an error was returned before, when the cells were read
	}
	for _, target := range a.targets {
		key, known := keys[target][stats.Mode(r.surfaces[i][target])]
		if !known {
			key = keys[target][slices.Sorted(maps.Keys(keys[target]))[0]]
		}
		found.Targets = append(found.Targets, key)
	}
	return found
}
