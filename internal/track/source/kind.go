package source

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Type is what kind of site a page belongs to.
type Type string

// The types.
const (
	Own        Type = "own"        // of the brand whose tracker it is
	Rival      Type = "rival"      // of another brand of the panel
	Community  Type = "community"  // forums, questions and answers, social networks
	Editorial  Type = "editorial"  // press, magazines, tests
	Reference  Type = "reference"  // encyclopedias, dictionaries, databases
	Government Type = "government" // governments, schools, universities
	Shop       Type = "shop"       // where things are sold
	Video      Type = "video"
	Other      Type = "other"
)

// Types lists the types.
func Types() []Type {
	return []Type{Own, Rival, Community, Editorial, Reference, Government, Shop, Video, Other}
}

// sitesFile has a line for each type: its name, a colon, and domains. A domain
// stands for all hosts below it; the longest one decides.
//
//go:embed sites.txt
var sitesFile string

var sites = sync.OnceValue(func() map[string]Type {
	table := map[string]Type{}
	for line := range strings.Lines(sitesFile) {
		name, domains, found := strings.Cut(line, ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for domain := range strings.FieldsSeq(domains) {
			table[domain] = Type(name)
		}
	}
	return table
})

// Sites tells the type of sites for one panel. It does not change and is safe for
// concurrent use.
type Sites struct {
	overrides map[string]Type
	panel     map[string]Type
}

// NewSites takes the domains of the own brands, those of the rivals, and the types
// that an organization sets by itself, by domain. These come first, then own and
// rival, then the table of well-known sites. Each problem is named.
func NewSites(own, rivals []string, overrides map[string]Type) (*Sites, error) {
	s := &Sites{overrides: map[string]Type{}, panel: map[string]Type{}}
	for domain, kind := range overrides {
		host, err := Host(domain)
		if err != nil {
			return nil, fmt.Errorf("sources[%q]: %w", domain, err)
		}
		if !slices.Contains(Types(), kind) {
			return nil, fmt.Errorf("sources[%q]: %q is no type of source", domain, kind)
		}
		s.overrides[host] = kind
	}
	for _, group := range []struct {
		domains []string
		kind    Type
	}{{rivals, Rival}, {own, Own}} { // a domain that is both is own
		for _, domain := range group.domains {
			host, err := Host(domain)
			if err != nil {
				return nil, fmt.Errorf("domain %q: %w", domain, err)
			}
			s.panel[host] = group.kind
		}
	}
	return s, nil
}

// Type gives the type of a host as Parse returns it.
func (s *Sites) Type(host string) Type {
	for _, table := range []map[string]Type{s.overrides, s.panel, sites()} {
		for domain := host; ; {
			if kind, ok := table[domain]; ok {
				return kind
			}
			_, parent, more := strings.Cut(domain, ".")
			if !more {
				break
			}
			domain = parent
		}
	}
	return Other
}
