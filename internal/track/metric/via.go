package metric

import (
	"maps"
	"slices"
)

// ViaBreak is a sweep from which on another vendor answered most questions to a target. The
// series of the target restart there.
type ViaBreak struct {
	Kind   string `json:"kind"` // always "via"
	Target string `json:"target"`
	Sweep  string `json:"sweep"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// vias are the answers of each vendor to one target, by the name of the vendor. Each dataset
// has only sheets of that target.
type vias map[string]*Dataset

// addVia counts an answer among the answers of its vendor.
func (b *Dataset) addVia(at, target int, a Observation) {
	if b.vias[target] == nil {
		b.vias[target] = vias{}
	}
	of := b.vias[target][a.Via]
	if of == nil {
		// The counts of one vendor share everything but the sheets.
		of = &Dataset{def: b.def, sweeps: b.sweeps, order: b.order, slots: b.slots, plans: b.plans, targets: b.targets, sources: b.sources, classes: b.classes, sheets: newSheets(b.def, b.sweeps)}
		b.vias[target][a.Via] = of
	}
	of.count(at, target, a)
}

// several returns the vendors of a target with answers to unbranded prompts, or nil unless
// there are two or more.
func (b *Dataset) several(target int) []string {
	var names []string
	for _, via := range slices.Sorted(maps.Keys(b.vias[target])) {
		if slices.ContainsFunc(b.vias[target][via].sheets, func(sheets []*sheet) bool {
			return sheets[target] != nil && slices.ContainsFunc(indices(len(b.def.Prompts)), func(prompt int) bool {
				return sheets[target].counted[prompt] != nil && !b.def.Prompts[prompt].Branded
			})
		}) {
			names = append(names, via)
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

// rowsByVia returns the rows of each vendor of the targets that several vendors answered. They
// have no missing answers and no coverage, because a missing answer has no vendor.
func (b *Dataset) rowsByVia(q Query) ([]Row, error) {
	var all []Row
	for target := range b.def.Targets {
		for _, via := range b.several(target) {
			q.By, q.Filter = []string{"target"}, Selection{"target": {b.def.Targets[target].Key}}
			rows, err := b.vias[target][via].Rows(q)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				if r.Metric != coverage {
					r.Via, r.Missing = via, nil
					all = append(all, r)
				}
			}
		}
	}
	return all, nil
}

// viaBreaks returns the sweeps from which on another vendor answers a target.
func (b *Dataset) viaBreaks() []ViaBreak {
	found := []ViaBreak{}
	for target := range b.def.Targets {
		last := ""
		for at := range b.sweeps {
			via := b.mostFrequentVia(at, target, last)
			if via == "" {
				continue
			}
			if last != "" && via != last {
				found = append(found, ViaBreak{"via", b.def.Targets[target].Key, b.sweep(at).ID, last, via})
			}
			last = via
		}
	}
	return found
}

// mostFrequentVia returns the vendor with the most answers of a target in a sweep, or "" if no
// answer has a vendor. Of several it is the vendor of the sweep before, or the first by name.
func (b *Dataset) mostFrequentVia(at, target int, last string) (most string) {
	highest := 0
	for _, via := range slices.Sorted(maps.Keys(b.vias[target])) {
		s := b.vias[target][via].sheets[at][target]
		if s == nil {
			continue
		}
		n := 0
		for _, c := range s.counted {
			if c != nil {
				n += int(c.Eligible)
			}
		}
		if n > highest || n == highest && via == last {
			most, highest = via, n
		}
	}
	return most
}

// breaks returns the breaks of the definition and the ones that follow from vendors.
func (b *Dataset) breaks() []Break {
	b.breaksOnce.Do(func() {
		b.allBreaks = b.def.breaks()
		for _, br := range b.viaBreaks() {
			b.allBreaks = append(b.allBreaks, Break{Sweep: br.Sweep, Target: br.Target, Reason: br.Kind})
		}
	})
	return b.allBreaks
}
