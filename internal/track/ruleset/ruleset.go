// Package ruleset reads the rules of trackers and analyses answers by them. Rules are a
// version of the brands of a tracker, their names, and the code that finds them.
package ruleset

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/analysing"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
)

// Set is the part of a definition that rules consist of.
type Set struct {
	Brands  []earshot.Brand      `json:"brands"`
	Sources []earshot.SourceType `json:"sources"`
}

// Encode returns the stored form of the rules of a definition: a list of brands, or a Set if
// the definition has source types.
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

// Decode returns the brands and source types of rules.
func Decode(r *analysing.Rules) (set Set, err error) {
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

// Changed returns new rules for a definition, or nil if its brands and source types are the
// same as before.
func Changed(before *earshot.TrackerDefinition, d *definition.Definition, isNew bool, now time.Time) (*analysing.Rules, error) {
	brands, err := Encode(&d.TrackerDefinition)
	if err != nil {
		return nil, err
	}
	was, err := Encode(before)
	if err != nil || !isNew && string(was) == string(brands) {
		return nil, err
	}
	return &analysing.Rules{Brands: brands, Code: analysis.Version, CreatedAt: now}, nil
}

// Name returns the name of a version of rules, such as r14.
func Name(r *analysing.Rules) string { return fmt.Sprintf("r%d", r.Version) }

// FirstAlike returns the first rules in the uninterrupted run of rules with the same brands
// that ends with of. A reanalysis adds rules with the same brands.
func FirstAlike(all []*analysing.Rules, of *analysing.Rules) *analysing.Rules {
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

// Alike reports whether two rules find the same in every answer.
func Alike(a, b *analysing.Rules) bool {
	return a == b || string(a.Brands) == string(b.Brands) && analysis.Alike(a.Code) == analysis.Alike(b.Code)
}
