package mention

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"earshot/internal/track/source"
)

// Limits of one name. They keep the search time proportional to the length of the answer.
const (
	MaxName   = 200 // characters of a name or phrase
	MaxWithin = 100 // words
	within    = 8   // default of Match.Within
)

// Rules finds the brands of a panel. It is immutable and safe for concurrent use.
type Rules struct {
	names   []name
	trie    *trie
	domains map[string]owner
	brands  int
	scans   sync.Pool // of *scan
}

// owner is the owner of a domain: the brand, and the index among its domains.
type owner struct{ brand, nth int }

// name is a compiled name or alias.
type name struct {
	brand, nth int
	text       string
	folded     []rune
	exact      []rune // folded except for the case; nil if the case does not matter
	joined     bool
	prefixes   []affix
	suffixes   []affix
	near       map[string]bool // nil if no word is required
	forbidden  map[string]bool
	phrases    []phrase
	within     int
}

// Problem is one error in a panel.
type Problem struct {
	Path    string // such as brands[2].aliases[0].match.near
	Message string
}

// Problems are all errors in a panel.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Path + ": " + problem.Message
	}
	return strings.Join(lines, "; ")
}

// UnmarshalJSON decodes a string or an object.
func (a *Alias) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*a = Alias{}
		return json.Unmarshal(data, &a.Name)
	}
	type plain Alias
	return json.Unmarshal(data, (*plain)(a))
}

// MarshalJSON encodes an alias without matching rules as a string.
func (a Alias) MarshalJSON() ([]byte, error) {
	if a.Match.isZero() {
		return json.Marshal(a.Name)
	}
	type plain Alias
	return json.Marshal(plain(a))
}

func (m Match) isZero() bool {
	return m.Case == "" && !m.Joined && len(m.Prefixes)+len(m.Suffixes)+len(m.Near)+len(m.Not)+m.Within == 0
}

// Compile compiles a panel into rules. Its error is of type Problems and lists all errors.
func Compile(brands []BrandNames) (*Rules, error) {
	c := &compiler{rules: &Rules{trie: newTrie(), domains: map[string]owner{}, brands: len(brands)}}
	for i, b := range brands {
		path := fmt.Sprintf("brands[%d]", i)
		c.name(path+".name", path+".match", i, 0, b.Name, b.Match)
		for n, a := range b.Aliases {
			at := fmt.Sprintf("%s.aliases[%d]", path, n)
			c.name(at+".name", at+".match", i, n+1, a.Name, a.Match)
		}
		for n, d := range b.Domains {
			c.domain(fmt.Sprintf("%s.domains[%d]", path, n), i, n, d)
		}
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return c.rules, nil
}

type compiler struct {
	rules    *Rules
	problems Problems
}

func (c *compiler) problem(path, format string, values ...any) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf(format, values...)})
}

func (c *compiler) name(path, switches string, brand, nth int, text string, m Match) {
	n := name{brand: brand, nth: nth, text: text, folded: c.fold(path, text), joined: m.Joined, within: cmp.Or(m.Within, within)}
	if m.Case != "" && m.Case != "exact" && m.Case != "any" {
		c.problem(switches+".case", "must be exact or any")
	}
	if m.Within < 0 || m.Within > MaxWithin {
		c.problem(switches+".within", "must be between 1 and %d words", MaxWithin)
	}
	exact := m.Case == "exact"
	if exact {
		n.exact = foldText(text, true)
	}
	n.prefixes = c.affixes(switches+".prefixes", m.Prefixes, exact)
	n.suffixes = c.affixes(switches+".suffixes", m.Suffixes, exact)
	for i, word := range m.Near {
		c.word(fmt.Sprintf("%s.near[%d]", switches, i), word, &n.near)
	}
	for i, text := range m.Not {
		c.not(fmt.Sprintf("%s.not[%d]", switches, i), text, &n)
	}
	if len(n.folded) > 0 {
		c.rules.trie.insert(n.folded, n.joined, int32(len(c.rules.names)))
		c.rules.names = append(c.rules.names, n)
	}
}

// fold folds a text. It must not be empty or too long.
func (c *compiler) fold(path, text string) []rune {
	folded := foldText(text, false)
	switch {
	case len(folded) == 0:
		c.problem(path, "must not be empty")
	case len(folded) > MaxName:
		c.problem(path, "must have at most %d characters", MaxName)
	}
	return folded
}

func (c *compiler) affixes(path string, texts []string, exact bool) []affix {
	var list []affix
	for i, text := range texts {
		a := affix{folded: c.fold(fmt.Sprintf("%s[%d]", path, i), text)}
		if exact {
			a.exact = foldText(text, true)
		}
		list = append(list, a)
	}
	return list
}

// word adds a single word to a set, which may be nil.
func (c *compiler) word(path, text string, set *map[string]bool) {
	folded := c.fold(path, text)
	if *set == nil {
		*set = map[string]bool{}
	}
	if slices.ContainsFunc(folded, func(r rune) bool { return !isWord(r) }) {
		c.problem(path, "must be a single word of letters and digits")
	}
	(*set)[string(folded)] = true
}

// not reads an entry of Match.Not: a phrase around the name, or a word.
func (c *compiler) not(path, text string, n *name) {
	phrases := phrasesAround(n, foldText(text, false))
	if len(phrases) == 0 {
		if slices.ContainsFunc(foldText(text, false), func(r rune) bool { return !isWord(r) }) {
			c.problem(path, "must be a single word, or a phrase that contains the name")
			return
		}
		c.word(path, text, &n.forbidden)
		return
	}
	for _, p := range phrases {
		if len(p.left)+len(p.right) == 0 {
			c.problem(path, "is the name itself, so the name would never be found")
			return
		}
	}
	n.phrases = append(n.phrases, phrases...)
}

func (c *compiler) domain(path string, brand, nth int, domain string) {
	host, err := source.BrandDomain(domain)
	switch known, taken := c.rules.domains[host]; {
	case err != nil || !strings.Contains(host, "."):
		c.problem(path, "must be a domain such as ollaro.example, without scheme and path")
	case taken && known.brand != brand:
		c.problem(path, "is already a domain of brands[%d]", known.brand)
	case !taken:
		c.rules.domains[host] = owner{brand, nth}
	}
}
