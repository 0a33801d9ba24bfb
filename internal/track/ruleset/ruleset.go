// Package ruleset knows by which rules a tracker looks for its brands, and analyses answers by
// them. Rules are a version of the brands, their names and the code that finds them.
package ruleset

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
)

// Set is what answers are searched by: the part of a definition that makes rules.
type Set struct {
	Brands  []earshot.Brand      `json:"brands"`
	Sources []earshot.SourceType `json:"sources"`
}

// Encode is the rule set of a definition as rules store it. Without types of sources it
// is the list of brands alone.
func Encode(d *earshot.TrackerDefinition) (text []byte, err error) {
	if len(d.Sources) == 0 {
		text, err = json.Marshal(d.Brands)
	} else {
		text, err = json.Marshal(Set{d.Brands, d.Sources})
	}
	if err != nil {
		return nil, fmt.Errorf("encode rules: %w", err)
	}
	return text, nil
}

// Decode reads what Encode wrote.
func Decode(r *tracking.Rules) (set Set, err error) {
	if len(r.Brands) > 0 && r.Brands[0] == '{' {
		err = json.Unmarshal(r.Brands, &set)
	} else {
		err = json.Unmarshal(r.Brands, &set.Brands)
	}
	if err != nil {
		return set, fmt.Errorf("read the brands of rules %d: %w", r.Version, err)
	}
	return set, nil
}

// Changed are the rules of a definition, nil when its brands and sources are those from before.
func Changed(before *earshot.TrackerDefinition, d *definition.Definition, isNew bool, now time.Time) (*tracking.Rules, error) {
	brands, err := Encode(&d.TrackerDefinition)
	if err != nil {
		return nil, err
	}
	was, err := Encode(before)
	if err != nil || !isNew && string(was) == string(brands) {
		return nil, err
	}
	return &tracking.Rules{Brands: brands, Code: analysis.Code, CreatedAt: now}, nil
}

// Name returns the name of a version of rules, such as r14.
func Name(r *tracking.Rules) string { return fmt.Sprintf("r%d", r.Version) }

// FirstAlike is the first of the rules, up to some, that have the brands of these: those of
// a mere reanalysis name nothing else.
func FirstAlike(all []*tracking.Rules, of *tracking.Rules) *tracking.Rules {
	first := of
	for _, r := range slices.Backward(all) {
		if r.Version < of.Version {
			if string(r.Brands) != string(of.Brands) {
				break
			}
			first = r
		}
	}
	return first
}
