package metric

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Query says which numbers are wanted. The zero value wants all metrics of each brand,
// for each surface.
type Query struct {
	Metrics []string // names without a version; empty: all of them
	// By divides the answers: target, provider, country, prompt, tag, sweep, day, week,
	// month. Metrics of brands are always by brand.
	By []string
	// Sources divides citationShare of no brand: domain, url, type. Empty: domain.
	Sources []string
	// Top leaves only so many sources, those with the most citations; 0: all of them.
	Top int
	// BrandsOnly leaves citationShare of no brand out.
	BrandsOnly bool
	// Filter leaves only the answers that match: it shrinks denominators. By brand it
	// shrinks the panel that shareOfVoice divides by.
	Filter Selection
	// Having leaves only the rows that match, and changes none of them.
	Having Selection
	// From and To leave only the sweeps whose slots lie between them: 2026-11-15T06:00, or
	// as much of it as is given, 2026-11 for the whole month. Empty: no limit.
	From, To string
	// Branded lets the prompts in that name a brand of the panel.
	Branded bool
	// Last makes a row by sweep of so many sweeps, those up to the one that it names, as far
	// back as the last break of at least half of its targets. 0: of that sweep alone.
	Last int
	// MaxRows refuses a query that may have more rows than that before any is made. 0: no limit.
	MaxRows int
	// PoolSurfaces mixes surfaces, which are kept apart otherwise.
	PoolSurfaces bool
}

// Selection is a list of values for each dimension that it restricts.
type Selection map[string][]string

// The dimensions, by what they divide.
var (
	ofTargets = []string{"surface", "target", "provider", "country"}
	ofPrompts = []string{"prompt", "tag"}
	ofSweeps  = []string{"sweep", "day", "week", "month"}
	ofSources = []string{"domain", "url", "type"}
)

// check names what a query asks for that does not exist.
func (q Query) check() error {
	dimensions := slices.Concat([]string{"brand"}, ofTargets, ofPrompts, ofSweeps)
	for _, name := range q.Metrics {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("metric: there is no metric %q", name)
		}
	}
	for _, by := range q.By {
		if !slices.Contains(dimensions, by) {
			return fmt.Errorf("by: there is no dimension %q", by)
		}
	}
	for _, source := range q.Sources {
		if !slices.Contains(ofSources, source) {
			return fmt.Errorf("sources: is %q, must be domain, url or type", source)
		}
	}
	for dimension := range q.Filter {
		if !slices.Contains(dimensions, dimension) {
			return fmt.Errorf("filter: there is no dimension %q", dimension)
		}
	}
	for dimension := range q.Having {
		if dimension != "brand" && dimension != "target" && !slices.Contains(ofSources, dimension) && !slices.Contains(q.By, dimension) {
			return fmt.Errorf("having: rows have no %q; ask for it in by", dimension)
		}
	}
	return nil
}

// wants reports whether the query asks for a metric.
func (q Query) wants(name string) bool {
	return len(q.Metrics) == 0 || slices.Contains(q.Metrics, name)
}

// Labels say which part of the answers a row is about. Those that a query does not
// divide by are empty, but for the target.
type Labels struct {
	Target   string `json:"target"` // "*" for all of them, "*web" for those of one surface of several
	Surface  string `json:"surface,omitempty"`
	Provider string `json:"provider,omitempty"`
	Country  string `json:"country,omitempty"`
	Prompt   string `json:"prompt,omitempty"`
	// PromptVersion tells prompts of the same text apart.
	PromptVersion int    `json:"-"`
	Tag           string `json:"tag,omitempty"`
	Sweep         string `json:"sweep,omitempty"`
	Day           string `json:"day,omitempty"`
	Week          string `json:"week,omitempty"`
	Month         string `json:"month,omitempty"`
	// Since is the first of the sweeps that a row is of which Query.Last makes of several.
	Since string `json:"-"`
}

// cut is a part of the answers: some targets, prompts and sweeps, by index; sweeps by
// their place in the order of slots.
type cut struct {
	labels                   Labels
	targets, prompts, sweeps []int
	panel                    []int // of brands
	branded                  bool
	only                     map[[2]int]bool // cells by prompt and target; nil: all
}

// part is some members of an axis, with the labels that they share.
type part struct {
	values  map[string]string
	members []int
}

// split divides members by one dimension after the other, in the order in which its
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
				labels := map[string]string{dimension: value}
				for other, name := range p.values {
					labels[other] = name
				}
				next = append(next, part{labels, found[value]})
			}
		}
		parts = next
	}
	return parts
}

// cuts are the parts of the answers that a query asks for.
func (b *Dataset) cuts(q Query) []cut {
	pick := func(dimensions []string) []string {
		return slices.DeleteFunc(slices.Clone(q.By), func(by string) bool { return !slices.Contains(dimensions, by) })
	}
	targetsBy := pick(ofTargets)
	if !q.PoolSurfaces && !slices.Contains(targetsBy, "surface") {
		targetsBy = append([]string{"surface"}, targetsBy...)
	}
	all := b.within(q, b.members(len(b.sweeps), q.Filter, ofSweeps, b.sweepValues))
	alive := b.alive(b.members(len(b.def.Targets), nil, nil, nil), all)
	several := len(split(alive, []string{"surface"}, b.targetValues)) > 1
	targets := split(b.alive(b.members(len(b.def.Targets), q.Filter, ofTargets, b.targetValues), all), targetsBy, b.targetValues)
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
				c.targets = b.alive(c.targets, c.sweeps)
				if len(c.targets) > 0 && b.anyAsked(c.prompts, c.sweeps) {
					c.labels = b.labels(q, several, t, p, s)
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

// alive are the targets that any of some sweeps asked or has answers of. The others were
// removed before, or came later.
func (b *Dataset) alive(targets, sweeps []int) []int {
	return slices.DeleteFunc(slices.Clone(targets), func(target int) bool {
		return !slices.ContainsFunc(sweeps, func(at int) bool {
			return b.plans[at].targets == nil || b.plans[at].targets[target] || b.sheets[at][target] != nil
		})
	})
}

// anyAsked tells whether any of some sweeps asked any of the prompts.
func (b *Dataset) anyAsked(prompts, sweeps []int) bool {
	return slices.ContainsFunc(sweeps, func(at int) bool {
		return slices.ContainsFunc(prompts, func(prompt int) bool { return b.asked(at, prompt) })
	})
}

// last are so many of the sweeps, up to one of them, that no break of at least half of
// the targets parts from it.
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

// within leaves the sweeps from q.From to q.To, as far as these are written out.
func (b *Dataset) within(q Query, sweeps []int) []int {
	return slices.DeleteFunc(sweeps, func(at int) bool {
		slot := b.sweep(at).Slot
		return slot[:min(len(slot), len(q.From))] < q.From || slot[:min(len(slot), len(q.To))] > q.To
	})
}

// labels name a cut after the values that its parts share; several tells whether there are
// several surfaces in all.
func (b *Dataset) labels(q Query, several bool, t, p, s part) Labels {
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
	case several:
		labels.Target += t.values["surface"]
	}
	return labels
}

// members are the indices below n that a selection leaves.
func (b *Dataset) members(n int, s Selection, dimensions []string, values func(dimension string, member int) []string) []int {
	var kept []int
	for i := range n {
		matches := true
		for _, dimension := range dimensions {
			if wanted, restricted := s[dimension]; restricted {
				has := values(dimension, i)
				switch dimension {
				case "prompt":
					has = []string{b.def.Prompts[i].Text}
				case "target": // one that several surfaces answered is also all of them
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

// promptValues tells prompts apart by their index: two versions may have one text.
func (b *Dataset) promptValues(dimension string, i int) []string {
	if dimension == "tag" {
		return b.def.Prompts[i].Tags
	}
	return []string{fmt.Sprint(i)}
}

// sweepValues are parts of the slot: its date as written, its ISO week, its month.
func (b *Dataset) sweepValues(dimension string, at int) []string {
	s := b.sweep(at)
	if dimension == "sweep" {
		return []string{s.ID}
	}
	day, _, _ := strings.Cut(s.Slot, "T")
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil
	}
	switch dimension {
	case "week":
		year, week := date.ISOWeek()
		return []string{fmt.Sprintf("%d-W%02d", year, week)}
	case "month":
		return []string{date.Format("2006-01")}
	default:
		return []string{day}
	}
}
