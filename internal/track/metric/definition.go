package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Definition is what was asked: who is watched, with which questions, where and when.
// Names of fields are those of a definition file.
type Definition struct {
	Name    string       `json:"name"`
	Brands  []PanelBrand `json:"brands"`
	Prompts []Prompt     `json:"prompts"`
	Targets []Target     `json:"targets"`
	Samples int          `json:"samples"` // answers asked of each cell in a sweep; a file may leave it out for 1
	Sweeps  []AskedSweep `json:"sweeps"`
	Periods *Periods     `json:"periods,omitempty"`
	CUSUM   Detector     `json:"cusum"`
	Breaks  []Break      `json:"breaks,omitempty"`
}

// PanelBrand is a member of the panel.
type PanelBrand struct {
	Name    string   `json:"name"`
	Own     bool     `json:"own"`
	Domains []string `json:"domains"`
}

// Prompt is one version of a question.
type Prompt struct {
	Text    string   `json:"text"`
	Version int      `json:"version,omitempty"`
	Weight  float64  `json:"weight"` // above 0; a file may leave it out for 1
	Branded bool     `json:"branded,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	From    string   `json:"from,omitempty"` // the first sweep that asked it; empty: all before To
	To      string   `json:"to,omitempty"`   // the last one; empty: all after From
}

// UnmarshalJSON gives a prompt without a weight the weight 1.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	type plain Prompt
	read := plain{Weight: 1}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*p = Prompt(read)
	return nil
}

// Target is where a question is asked. Its key is provider/COUNTRY, with more behind it
// where a tracker asks one provider in several ways.
type Target struct {
	Key      string `json:"key"`
	Surface  string `json:"surface"`
	Provider string `json:"provider,omitempty"` // empty: the first part of the key
	Country  string `json:"country,omitempty"`  // empty: the second
}

// provider names the provider of a target.
func (t Target) provider() string {
	if t.Provider != "" {
		return t.Provider
	}
	name, _, _ := strings.Cut(t.Key, "/")
	return name
}

// country names the country of a target.
func (t Target) country() string {
	if t.Country != "" {
		return t.Country
	}
	parts := strings.Split(t.Key, "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// AskedSweep is one pass over all cells. Only closed ones count.
type AskedSweep struct {
	ID    string `json:"id"`
	Slot  string `json:"slot"`            // civil time, 2026-11-15T06:00; its order is that of the text
	State string `json:"state,omitempty"` // empty is closed
	// What it asked, where that is not told by the prompts' ranges: samples of each cell
	// (0: those of the definition), indices of prompts and keys of targets (nil: all).
	Samples int      `json:"samples,omitempty"`
	Prompts []int    `json:"prompts,omitempty"`
	Targets []string `json:"targets,omitempty"`
}

// closed is the state of a sweep that counts.
const closed = "closed"

// Periods are two lists of sweeps to compare.
type Periods struct {
	A []string `json:"a"`
	B []string `json:"b"`
}

// Detector is the setting of the change detector; fields of 0 stand for the defaults.
type Detector struct {
	H      float64 `json:"h"`
	K      float64 `json:"k"`
	Breaks []Break `json:"breaks,omitempty"` // beside those of the definition
}

// Break is where a series starts anew, before the sweep that it names. A file may give
// the sweep alone.
type Break struct {
	Sweep  string `json:"sweep"`
	Target string `json:"target,omitempty"` // empty: all of them
	Reason string `json:"reason,omitempty"`
}

// UnmarshalJSON reads a break, or the id of its sweep alone.
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

// breaks are all of them, wherever they stand.
func (d *Definition) breaks() []Break { return slices.Concat(d.Breaks, d.CUSUM.Breaks) }

// check names the first field that makes no sense.
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

// unique reports an entry of a list that has no name, or that of another.
func unique[T any](list string, entries []T, name func(T) string) error {
	seen := map[string]bool{}
	for i, entry := range entries {
		switch {
		case name(entry) == "":
			return fmt.Errorf("%s[%d]: has no name", list, i)
		case seen[name(entry)]:
			return fmt.Errorf("%s[%d]: %q is there twice", list, i, name(entry))
		}
		seen[name(entry)] = true
	}
	return nil
}
