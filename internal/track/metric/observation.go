package metric

import (
	"net/url"
	"slices"
	"strings"
)

// Observation is the result of one question to a cell in a sweep, with the properties that
// metrics need.
type Observation struct {
	ID        string     `json:"id"`
	Prompt    int        `json:"prompt"` // index into Definition.Prompts
	Target    string     `json:"target"` // key
	Sweep     string     `json:"sweep"`  // id
	Sample    int        `json:"sample"` // from 1
	Outcome   Outcome    `json:"outcome"`
	Mentions  []Mention  `json:"mentions"` // in the order of the text
	Citations []Citation `json:"citations"`
	// Attached are the sources that the engine read but did not show. It is nil if the
	// provider does not distinguish them.
	Attached []Citation `json:"attached,omitempty"`
	// Organic are the results of a search page. It is nil for other answers.
	Organic []Citation `json:"organic,omitempty"`
	// Plain is true if Markdown was not requested. Plain text shows neither lists nor what
	// a sentence cites.
	Plain bool `json:"plain,omitempty"`

	Contents
}

// Outcome is the way in which a question ended.
type Outcome string

// The eligible outcomes. Answers with any other outcome (blocked, empty, failed,
// unreadable) are missing.
const (
	Answered Outcome = "answered"
	Refused  Outcome = "refused"
)

func (o Outcome) eligible() bool { return o == Answered || o == Refused }

// Kind is the kind of a mention.
type Kind string

// The kinds that count. Mentions of the kind absent ("could not find anything about …") do
// not count.
const (
	Name   Kind = "name"
	Domain Kind = "domain"
)

// Mention is a name found in the prose of an answer.
type Mention struct {
	Brand    string `json:"brand"`
	Kind     Kind   `json:"kind"`
	Position int    `json:"position"` // of the brand among the brands of the panel; 0 means none
	ListRank int    `json:"listRank,omitempty"`
	// Start and End are byte offsets in the text of the answer. Both are 0 if they are unknown.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Domains are the registrable domains that the sentence cites.
	Domains []string `json:"sentenceDomains"`
}

func (m Mention) counts() bool { return m.Kind == Name || m.Kind == Domain }

// Citation is a URL that an answer cites, or that a search page lists.
type Citation struct {
	URL      string `json:"url"`            // canonical
	Host     string `json:"host,omitempty"` // empty: the host of the URL
	Domain   string `json:"domain"`         // registrable
	Type     string `json:"type,omitempty"` // own, rival, community, …
	Position int    `json:"position"`       // from 1
}

// on reports whether the host of the citation is one of a brand's domains or a subdomain.
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

// distinct returns the first citation of each URL.
func distinct(citations []Citation) []Citation {
	kept := make([]Citation, 0, len(citations))
	for _, c := range citations {
		if !slices.ContainsFunc(kept, func(other Citation) bool { return other.URL == c.URL }) {
			kept = append(kept, c)
		}
	}
	return kept
}
