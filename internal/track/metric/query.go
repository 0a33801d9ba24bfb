package metric

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/schema"
)

// Query selects rows. The zero value selects all metrics of each brand, by surface.
type Query struct {
	// Metrics are names with or without a version. Empty: all metrics, except the ones that
	// need answers or the cells of every sweep (onlyNamed).
	Metrics []string
	// By splits the answers by dimensions: surface, target, provider, country, prompt, tag,
	// sweep, day, week, month. Metrics of brands are always split by brand.
	By []string
	// Sources splits citationShare without a brand by domain, url or type. Empty: domain.
	Sources []string
	// Top limits the rows of sources to the sources with the most citations. 0: no limit.
	Top int
	// BrandsOnly leaves out citationShare without a brand.
	BrandsOnly bool
	// Filter selects answers before counting, so it changes denominators. A filter by brand
	// changes the panel that shareOfVoice divides by.
	Filter Selection
	// Having selects rows after counting, so it changes no value.
	Having Selection
	// Branded includes prompts that name a brand of the panel.
	Branded bool
	// Last pools the last sweeps in each row by sweep: that many sweeps up to the sweep of
	// the row, but none before a break on half or more of the targets. 0: no pooling.
	Last int
	// MaxRows is the largest number of rows that a query may produce. 0: no limit.
	MaxRows int
	// PoolSurfaces counts all surfaces together. By default each surface has its own rows.
	PoolSurfaces bool
}

// Selection lists the allowed values of each restricted dimension.
type Selection map[string][]string

// The dimensions, by what they split.
var (
	ofTargets = []string{"surface", "target", "provider", "country"}
	ofPrompts = []string{"prompt", "tag"}
	ofSweeps  = []string{"sweep", "day", "week", "month"}
	ofSources = []string{"domain", "url", "type"}
)

// check returns an error that begins with the name of an invalid field.
func (q Query) check() error {
	dimensions := slices.Concat([]string{"brand"}, ofTargets, ofPrompts, ofSweeps)
	for _, name := range q.Metrics {
		if !slices.ContainsFunc(names(), func(known string) bool { return selects(name, known) }) {
			return fmt.Errorf("metric: there is no metric %q%s", name, schema.Hint(name, names()))
		}
	}
	for field, used := range map[string][]string{"by": q.By, "filter": slices.Sorted(maps.Keys(q.Filter))} {
		for _, dimension := range used {
			if !slices.Contains(dimensions, dimension) {
				return fmt.Errorf("%s: there is no dimension %q%s", field, dimension, schema.Hint(dimension, dimensions))
			}
		}
	}
	for _, source := range q.Sources {
		if !slices.Contains(ofSources, source) {
			return fmt.Errorf("sources: is %q, must be domain, url or type", source)
		}
	}
	for dimension := range q.Having {
		if dimension != "brand" && dimension != "target" && !slices.Contains(ofSources, dimension) && !slices.Contains(q.By, dimension) {
			return fmt.Errorf("having: rows have no %q; ask for it in by", dimension)
		}
	}
	return nil
}

// wants reports whether the query selects a metric, whose name has its version.
func (q Query) wants(name string) bool {
	if len(q.Metrics) == 0 {
		return !slices.Contains(onlyNamed, name)
	}
	return slices.ContainsFunc(q.Metrics, func(wanted string) bool { return selects(wanted, name) })
}

// Labels name the part of the answers that a row is computed from. Apart from Target, the
// labels of dimensions that are not in Query.By are empty.
type Labels struct {
	Target   string `json:"target"` // "*" means all targets, "*web" all targets of one of several surfaces
	Surface  string `json:"surface,omitempty"`
	Provider string `json:"provider,omitempty"`
	Country  string `json:"country,omitempty"`
	Prompt   string `json:"prompt,omitempty"`
	// PromptVersion distinguishes prompts with the same text.
	PromptVersion int    `json:"-"`
	Tag           string `json:"tag,omitempty"`
	Sweep         string `json:"sweep,omitempty"`
	Day           string `json:"day,omitempty"`
	Week          string `json:"week,omitempty"`
	Month         string `json:"month,omitempty"`
	// Since is the first sweep of a row that Query.Last pools.
	Since string `json:"-"`
}

// cut is a part of the answers. Targets, prompts and brands are indices, sweeps are
// positions in the order of slots.
type cut struct {
	labels                   Labels
	targets, prompts, sweeps []int
	panel                    []int // brands
	branded                  bool
}

// part contains targets, prompts or sweeps with the same values of some dimensions.
type part struct {
	values  map[string]string
	members []int
}

// split divides members by each dimension in turn. Parts are in the order in which their
// values first appear.
func split(members []int, dimensions []string, values func(dimension string, member int) []string) []part {
	parts := []part{{values: map[string]string{}, members: members}}
	for _, dimension := range dimensions {
		var next []part
		for _, p := range parts {
			var order []string
			found := map[string][]int{}
			for _, member := range p.members {
				for _, value := range values(dimension, member) {
					if found[value] == nil {
						order = append(order, value)
					}
					found[value] = append(found[value], member)
				}
			}
			for _, value := range order {
				labels := maps.Clone(p.values)
				labels[dimension] = value
				next = append(next, part{labels, found[value]})
			}
		}
		parts = next
	}
	return parts
}

// cuts splits the answers that a query selects.
func (b *Dataset) cuts(q Query) []cut {
	pick := func(dimensions []string) []string {
		return slices.DeleteFunc(slices.Clone(q.By), func(by string) bool { return !slices.Contains(dimensions, by) })
	}
	targetsBy := pick(ofTargets)
	if !q.PoolSurfaces && !slices.Contains(targetsBy, "surface") {
		targetsBy = append([]string{"surface"}, targetsBy...)
	}
	all := b.members(len(b.sweeps), q.Filter, ofSweeps, b.sweepValues)
	severalSurfaces := len(split(b.used(indices(len(b.def.Targets)), all), []string{"surface"}, b.targetValues)) > 1
	targets := split(b.used(b.members(len(b.def.Targets), q.Filter, ofTargets, b.targetValues), all), targetsBy, b.targetValues)
	prompts := split(b.members(len(b.def.Prompts), q.Filter, ofPrompts, b.promptValues), pick(ofPrompts), b.promptValues)
	sweeps := split(all, pick(ofSweeps), b.sweepValues)
	panel := b.members(len(b.def.Brands), q.Filter, []string{"brand"}, b.brandValues)
	var cuts []cut
	for _, t := range targets {
		for _, p := range prompts {
			for _, s := range sweeps {
				c := cut{targets: t.members, prompts: p.members, sweeps: s.members, panel: panel, branded: q.Branded}
				if s.values["sweep"] != "" && q.Last > 1 {
					c.sweeps = b.last(q.Last, all, s.members[0], t.members)
				}
				c.targets = b.used(c.targets, c.sweeps)
				if len(c.targets) > 0 && b.anyAsked(c.prompts, c.sweeps) {
					c.labels = b.labels(q, severalSurfaces, t, p, s)
					if s.values["sweep"] != "" {
						c.labels.Since = b.sweep(c.sweeps[0]).ID
					}
					cuts = append(cuts, c)
				}
			}
		}
	}
	return cuts
}

// used returns the targets that any of the sweeps asked or has answers from.
func (b *Dataset) used(targets, sweeps []int) []int {
	return slices.DeleteFunc(slices.Clone(targets), func(target int) bool {
		return !slices.ContainsFunc(sweeps, func(at int) bool {
			return b.plans[at].targets == nil || b.plans[at].targets[target] || b.sheets[at][target] != nil
		})
	})
}

// anyAsked reports whether any of the sweeps asked any of the prompts.
func (b *Dataset) anyAsked(prompts, sweeps []int) bool {
	return slices.ContainsFunc(sweeps, func(at int) bool {
		return slices.ContainsFunc(prompts, func(prompt int) bool { return b.asked(at, prompt) })
	})
}

// last returns at most n sweeps that end with the sweep upTo. It stops at a break on half
// or more of the targets.
func (b *Dataset) last(n int, all []int, upTo int, targets []int) []int {
	end := slices.Index(all, upTo) + 1
	start := end - 1
	for start > 0 && end-start < n {
		before, slot := b.sweep(all[start-1]).Slot, b.sweep(all[start]).Slot
		broken := 0
		for _, t := range targets {
			if b.broken(before, slot, b.def.Targets[t].Key) {
				broken++
			}
		}
		if broken > 0 && 2*broken >= len(targets) {
			break
		}
		start--
	}
	return all[start:end]
}

// labels returns the labels of a cut. With several surfaces, "*" is followed by the surface.
func (b *Dataset) labels(q Query, severalSurfaces bool, t, p, s part) Labels {
	labels := Labels{
		Target: "*", Provider: t.values["provider"], Country: t.values["country"],
		Tag: p.values["tag"], Sweep: s.values["sweep"], Day: s.values["day"], Week: s.values["week"], Month: s.values["month"],
	}
	if slices.Contains(q.By, "prompt") {
		prompt := b.def.Prompts[p.members[0]]
		labels.Prompt, labels.PromptVersion = prompt.Text, prompt.Version
	}
	if slices.Contains(q.By, "surface") {
		labels.Surface = t.values["surface"]
	}
	switch {
	case len(t.members) == 1:
		labels.Target = b.def.Targets[t.members[0]].Key
	case severalSurfaces:
		labels.Target += t.values["surface"]
	}
	return labels
}

// indices returns 0 to n-1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// members returns the indices below n that a selection allows.
func (b *Dataset) members(n int, s Selection, dimensions []string, values func(dimension string, member int) []string) []int {
	var kept []int
	for i := range n {
		matches := true
		for _, dimension := range dimensions {
			if wanted, restricted := s[dimension]; restricted {
				has := values(dimension, i)
				switch dimension {
				case "prompt":
					has = []string{b.def.Prompts[i].Text, strconv.Itoa(b.def.Prompts[i].Version)}
				case "surface": // "vendor" selects "vendor:cloro" and "vendor:oxylabs"
					surface, _, _ := strings.Cut(has[0], ":")
					has = append(has, surface)
				case "target": // "chat/US" selects "chat/US@api" and "chat/US@web"
					name, _, _ := strings.Cut(has[0], "@")
					has = append(has, name)
				}
				matches = matches && slices.ContainsFunc(wanted, func(value string) bool { return slices.Contains(has, value) })
			}
		}
		if matches {
			kept = append(kept, i)
		}
	}
	return kept
}

func (b *Dataset) brandValues(_ string, i int) []string { return []string{b.def.Brands[i].Name} }

func (b *Dataset) targetValues(dimension string, i int) []string {
	t := b.def.Targets[i]
	switch dimension {
	case "surface":
		return []string{t.Surface}
	case "provider":
		return []string{t.provider()}
	case "country":
		return []string{t.country()}
	default:
		return []string{t.Key}
	}
}

// promptValues identifies a prompt by its index, because two versions may have the same text.
func (b *Dataset) promptValues(dimension string, i int) []string {
	if dimension == "tag" {
		return b.def.Prompts[i].Tags
	}
	return []string{fmt.Sprint(i)}
}

func (b *Dataset) sweepValues(dimension string, at int) []string {
	s := b.sweep(at)
	if dimension == "sweep" {
		return []string{s.ID}
	}
	if value, ok := SlotValues(s.Slot)[dimension]; ok {
		return []string{value}
	}
	return nil
}

// SlotValues returns the day, the ISO week and the month of a slot, by dimension. It returns
// nil if the slot does not start with a date.
func SlotValues(slot string) map[string]string {
	day, _, _ := strings.Cut(slot, "T")
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil
	}
	year, week := date.ISOWeek()
	return map[string]string{"day": day, "week": fmt.Sprintf("%d-W%02d", year, week), "month": date.Format("2006-01")}
}
