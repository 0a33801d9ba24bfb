package track

import (
	"encoding/json"
	"fmt"

	"earshot"
	"earshot/internal/store"
)

// ruleSet is what answers are searched by: the part of a definition that makes rules.
type ruleSet struct {
	Brands  []earshot.Brand      `json:"brands"`
	Sources []earshot.SourceType `json:"sources"`
}

// rulesText is the rule set of a definition as rules store it. Without types of sources it
// is the list of brands alone.
func rulesText(d *earshot.TrackerDefinition) (text []byte, err error) {
	if len(d.Sources) == 0 {
		text, err = json.Marshal(d.Brands)
	} else {
		text, err = json.Marshal(ruleSet{d.Brands, d.Sources})
	}
	if err != nil {
		return nil, fmt.Errorf("encode rules: %w", err)
	}
	return text, nil
}

// ruleSetOf reads what rulesText wrote.
func ruleSetOf(r *store.Rules) (set ruleSet, err error) {
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
