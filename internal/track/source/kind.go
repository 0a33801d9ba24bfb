package source

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Type is the type of a site.
type Type string

// The types.
const (
	Own        Type = "own"        // of an own brand of the panel
	Rival      Type = "rival"      // of another brand of the panel
	Community  Type = "community"  // forums, questions and answers, social networks
	Editorial  Type = "editorial"  // press, magazines, reviews
	Reference  Type = "reference"  // encyclopedias, dictionaries, databases
	Government Type = "government" // governments, schools, universities
	Shop       Type = "shop"
	Video      Type = "video"
	Other      Type = "other"
)

// Types returns all types.
func Types() []Type {
	return []Type{Own, Rival, Community, Editorial, Reference, Government, Shop, Video, Other}
}

// sitesFile has a line for each type: its name, a colon, and domains. A domain includes its
// subdomains. If several domains match a host, the longest decides.
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

// Sites returns the types of sites for one panel. It is immutable and safe for concurrent use.
type Sites struct {
	overrides map[string]Type
	panel     map[string]Type
}

// NewSites returns the Sites of a panel, given the domains of own brands, the domains of
// rivals, and types by domain that override all others. Other sites have the type of the
// table of well-known sites.
func NewSites(own, rivals []string, overrides map[string]Type) (*Sites, error) {
	s := &Sites{overrides: map[string]Type{}, panel: map[string]Type{}}
	for domain, kind := range overrides {
		host, err := Host(domain)
		if err != nil {
			return nil, fmt.Errorf("sources[%q]: %w", domain, err)
		}
		if !slices.Contains(Types(), kind) {
			return nil, fmt.Errorf("sources[%q]: %q is not a source type", domain, kind)
		}
		s.overrides[host] = kind
	}
	for _, group := range []struct {
		domains []string
		kind    Type
	}{{rivals, Rival}, {own, Own}} { // a domain in both lists is own
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

// Type returns the type of a host in the form of Parse.
func (s *Sites) Type(host string) Type {
	for _, table := range []map[string]Type{s.overrides, s.panel, sites()} {
		if kind, ok := Lookup(table, host); ok {
			return kind
		}
	}
	return Other
}
