package metric

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Definition describes what a tracker asks: brands, prompts, targets and sweeps. Its JSON
// form is a definition file.
type Definition struct {
	Name    string       `json:"name"`
	Brands  []PanelBrand `json:"brands"`
	Prompts []Prompt     `json:"prompts"`
	Targets []Target     `json:"targets"`
	Samples int          `json:"samples"` // answers per cell and sweep; 1 if a file leaves it out
	Sweeps  []AskedSweep `json:"sweeps"`
	Periods *Periods     `json:"periods,omitempty"`
	CUSUM   Detector     `json:"cusum"`
	Breaks  []Break      `json:"breaks,omitempty"`
}

// PanelBrand is a brand of the panel.
type PanelBrand struct {
	Name    string   `json:"name"`
	Own     bool     `json:"own"`
	Domains []string `json:"domains"`
}

// Prompt is one version of a prompt.
type Prompt struct {
	Text    string   `json:"text"`
	Version int      `json:"version,omitempty"`
	Weight  float64  `json:"weight"` // above 0; 1 if a file leaves it out
	Branded bool     `json:"branded,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	From    string   `json:"from,omitempty"` // the first sweep that asked it; empty: no limit
	To      string   `json:"to,omitempty"`   // the last sweep that asked it; empty: no limit
}

// UnmarshalJSON reads a prompt. The default weight is 1.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	type plain Prompt
	read := plain{Weight: 1}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*p = Prompt(read)
	return nil
}

// Target is a provider and country that answer prompts. Its key is provider/COUNTRY, with a
// suffix if a tracker asks one provider in several ways.
type Target struct {
	Key      string `json:"key"`
	Surface  string `json:"surface"`
	Provider string `json:"provider,omitempty"` // empty: the first part of the key
	Country  string `json:"country,omitempty"`  // empty: the second part of the key
}

func (t Target) provider() string {
	name, _, _ := strings.Cut(t.Key, "/")
	return cmp.Or(t.Provider, name)
}

func (t Target) country() string {
	return cmp.Or(t.Country, append(strings.Split(t.Key, "/"), "")[1])
}

// AskedSweep is one pass over all cells. Only closed sweeps count.
type AskedSweep struct {
	ID      string   `json:"id"`
	Slot    string   `json:"slot"`              // local time, such as 2026-11-15T06:00; slots are ordered as text
	State   string   `json:"state,omitempty"`   // empty: closed
	Samples int      `json:"samples,omitempty"` // per cell; 0: Definition.Samples
	Prompts []int    `json:"prompts,omitempty"` // indices; nil: all prompts whose range contains the sweep
	Targets []string `json:"targets,omitempty"` // keys; nil: all targets
	// Brands are the brands that its answers were searched for; nil: all. The others have no value.
	Brands []string `json:"brands,omitempty"`
}

// closed is the state of a sweep that counts.
const closed = "closed"

// Periods are two lists of sweeps to compare.
type Periods struct {
	A []string `json:"a"`
	B []string `json:"b"`
}

// Detector contains the settings of the change detector. 0 means the default.
type Detector struct {
	H      float64 `json:"h"`
	K      float64 `json:"k"`
	Breaks []Break `json:"breaks,omitempty"` // in addition to Definition.Breaks
}

// Break makes series restart at a sweep. In a file it may be the id of the sweep alone.
type Break struct {
	Sweep  string `json:"sweep"`
	Target string `json:"target,omitempty"` // empty: all targets
	Reason string `json:"reason,omitempty"`
}

// UnmarshalJSON reads a break or the id of its sweep.
func (b *Break) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &b.Sweep) == nil {
		return nil
	}
	type plain Break
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*b = Break(read)
	return nil
}

func (d *Definition) breaks() []Break { return slices.Concat(d.Breaks, d.CUSUM.Breaks) }

// check returns an error that names the first invalid field.
func (d *Definition) check() error {
	if d.Samples < 1 {
		return fmt.Errorf("samples: is %d, must be at least 1", d.Samples)
	}
	if err := unique("brands", d.Brands, func(b PanelBrand) string { return b.Name }); err != nil {
		return err
	}
	if err := unique("targets", d.Targets, func(t Target) string { return t.Key }); err != nil {
		return err
	}
	if err := unique("sweeps", d.Sweeps, func(s AskedSweep) string { return s.ID }); err != nil {
		return err
	}
	if d.CUSUM.H < 0 || d.CUSUM.K < 0 {
		return errors.New("cusum: h and k must not be negative")
	}
	for i, s := range d.Sweeps {
		if s.Samples < 0 {
			return fmt.Errorf("sweeps[%d].samples: is %d, must not be negative", i, s.Samples)
		}
		for _, prompt := range s.Prompts {
			if prompt < 0 || prompt >= len(d.Prompts) {
				return fmt.Errorf("sweeps[%d].prompts: there is no prompt %d", i, prompt)
			}
		}
	}
	sweeps := []string{}
	for i, p := range d.Prompts {
		if !(p.Weight > 0) || math.IsInf(p.Weight, 1) {
			return fmt.Errorf("prompts[%d].weight: is %v, must be above 0", i, p.Weight)
		}
		sweeps = append(sweeps, p.From, p.To)
	}
	for _, b := range d.breaks() {
		sweeps = append(sweeps, b.Sweep)
	}
	if d.Periods != nil {
		sweeps = slices.Concat(sweeps, d.Periods.A, d.Periods.B)
	}
	for _, id := range sweeps {
		if id != "" && !slices.ContainsFunc(d.Sweeps, func(s AskedSweep) bool { return s.ID == id }) {
			return fmt.Errorf("there is no sweep %q", id)
		}
	}
	return nil
}

// unique returns an error if an entry has no name or the name of another entry.
func unique[T any](list string, entries []T, name func(T) string) error {
	seen := map[string]bool{}
	for i, entry := range entries {
		switch {
		case name(entry) == "":
			return fmt.Errorf("%s[%d]: has no name", list, i)
		case seen[name(entry)]:
			return fmt.Errorf("%s[%d]: %q is listed twice", list, i, name(entry))
		}
		seen[name(entry)] = true
	}
	return nil
}
