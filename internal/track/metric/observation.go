package metric

import (
	"net/url"
	"slices"
	"strings"
)

// Observation is one ended job of a cell in a sweep, as far as metrics look at it.
type Observation struct {
	ID        string     `json:"id"`
	Prompt    int        `json:"prompt"` // index into Definition.Prompts
	Target    string     `json:"target"` // key
	Sweep     string     `json:"sweep"`  // id
	Sample    int        `json:"sample"` // from 1
	Outcome   Outcome    `json:"outcome"`
	Mentions  []Mention  `json:"mentions"` // in the order of the text
	Citations []Citation `json:"citations"`
	// Attached are sources that the engine read without showing them; nil where the
	// provider does not tell them apart.
	Attached []Citation `json:"attached,omitempty"`
	// Organic are the results of a search page; nil where the answer is none.
	Organic []Citation `json:"organic,omitempty"`
	// Plain reports whether the text is no Markdown, because that was not asked for. Such
	// an answer says nothing about lists, nor about what its sentences cite.
	Plain bool `json:"plain,omitempty"`
}

// Outcome is how a job ended.
type Outcome string

// The outcomes that count. All others (blocked, empty, failed, unreadable) are missing.
const (
	Answered Outcome = "answered"
	Refused  Outcome = "refused"
)

// eligible reports whether an answer counts. Any other is missing, which is not zero.
func (o Outcome) eligible() bool { return o == Answered || o == Refused }

// Kind is what a mention is.
type Kind string

// The kinds that count. An absent one, "could not find anything about …", does not.
const (
	Name   Kind = "name"
	Domain Kind = "domain"
)

// Mention is a name found in the prose of an answer.
type Mention struct {
	Brand    string `json:"brand"`
	Kind     Kind   `json:"kind"`
	Position int    `json:"position"` // of the brand among the panel's; 0 for none
	ListRank int    `json:"listRank,omitempty"`
	// Domains are the registrable domains that its sentence cites.
	Domains []string `json:"sentenceDomains"`
	// Cited are the indexes in Answer.Citations of the pages that its sentence cites.
	Cited []int `json:"-"`
}

func (m Mention) counts() bool { return m.Kind == Name || m.Kind == Domain }

// Citation is a URL that an answer cites, or that a search page lists.
type Citation struct {
	URL      string `json:"url"`            // canonical
	Host     string `json:"host,omitempty"` // empty: that of the URL
	Domain   string `json:"domain"`         // registrable
	Type     string `json:"type,omitempty"` // own, rival, community, …
	Position int    `json:"position"`       // from 1
}

// on reports whether the citation lies on one of a brand's domains: the host is the
// domain, or a part of it.
func (c Citation) on(b PanelBrand) bool {
	host := c.Host
	if host == "" {
		parsed, err := url.Parse(c.URL)
		if err != nil {
			return false
		}
		host = parsed.Hostname()
	}
	for _, domain := range b.Domains {
		at := len(host) - len(domain)
		if at >= 0 && (at == 0 || host[at-1] == '.') && strings.EqualFold(host[at:], domain) {
			return true
		}
	}
	return false
}

// distinct leaves each URL once. Answers cite a dozen pages: a map would take longer.
func distinct(citations []Citation) []Citation {
	for i := range citations {
		if cites(citations[:i], citations[i].URL) {
			kept := slices.Clone(citations[:i])
			for _, c := range citations[i+1:] {
				if !cites(kept, c.URL) {
					kept = append(kept, c)
				}
			}
			return kept
		}
	}
	return citations
}

func cites(citations []Citation, url string) bool {
	for i := range citations {
		if citations[i].URL == url {
			return true
		}
	}
	return false
}
