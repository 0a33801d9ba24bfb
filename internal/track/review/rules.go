package review

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

// Code is the version of the rules. Raise it with every change that gives other findings in the
// same answer; all kept answers are then reviewed again.
const Code = 1

// Finding is something in an answer that a person should look at.
type Finding struct {
	Brand    string                  `json:"-"`
	Kind     earshot.ReviewKind      `json:"-"`
	Fact     earshot.FactDifference  `json:"-"` // zero unless Kind is ReviewFact
	Sentence string                  `json:"sentence"`
	Matches  []earshot.ReviewedWords `json:"matches"`
}

// ID returns the id of the review that a finding belongs to. Findings of a tracker with the same
// sentence, or with the same value of the same fact, have the same id.
func (f *Finding) ID(tracker string) string {
	key := []string{f.Brand, string(f.Kind)}
	if f.Kind == earshot.ReviewFact {
		key = append(key, f.Fact.Name, f.Fact.Expected, f.Fact.Found)
	} else {
		// Equal sentences may differ in markup, punctuation and citations.
		key = append(key, strings.TrimSpace(strings.ReplaceAll(wordsOf(prose(f.Sentence))[0].rest, "|", "")))
	}
	return uuid.NewSHA1(uuid.MustParse(tracker), []byte(strings.Join(key, "\x00"))).String()
}

// Rules find what a person should look at.
type Rules struct {
	panel *analysis.Panel
	facts []*fact
}

// NewRules returns the rules of a panel and the facts of a definition. Invalid facts, which only an
// older version of the service accepted, are ignored.
func NewRules(panel *analysis.Panel, facts []earshot.Fact) *Rules {
	r := &Rules{panel: panel}
	for _, f := range facts {
		isOwn := slices.ContainsFunc(panel.Brands, func(b metric.PanelBrand) bool { return b.Name == f.Brand && b.Own })
		if made, field, _ := newFact(f); isOwn && field == "" {
			r.facts = append(r.facts, made)
		}
	}
	return r
}

// Concerns reports whether an answer with this analysis can have findings: whether it names an
// own brand in its text or in a product.
func (r *Rules) Concerns(found *analysis.Analysis) bool {
	return slices.ContainsFunc(found.Mentions, r.isOwn) || len(r.inProducts(found)) > 0
}

func (r *Rules) isOwn(m analysis.Mention) bool {
	return m.Kind != mention.Absent && r.panel.Brands[m.Brand].Own
}

// Find returns the findings in an answer, in the order of its texts; each review at most once.
func (r *Rules) Find(shown *analysis.Shown) []Finding {
	var found []Finding
	for _, named := range r.sentences(shown) {
		found = append(found, r.inSentence(named)...)
	}
	found = append(found, r.inProducts(shown.Analysis)...)
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(f Finding) bool {
		id := f.ID(uuid.Nil.String())
		twice := seen[id]
		seen[id] = true
		return twice
	})
}

// inProducts returns the findings in the products of an answer.
func (r *Rules) inProducts(answer *analysis.Analysis) (found []Finding) {
	for _, f := range r.facts {
		for _, p := range answer.Products {
			if one, differs := f.inProduct(p); differs {
				found = append(found, one)
			}
		}
	}
	return found
}

// namingSentence is a sentence that names an own brand.
type namingSentence struct {
	brand    int
	text     string
	mentions [][2]int // byte ranges in the text

	at analysis.Sentence
}

// sentences returns the sentences that name own brands, one for each brand.
func (r *Rules) sentences(shown *analysis.Shown) (all []namingSentence) {
	for i, m := range shown.Mentions {
		at := shown.Sentences[i]
		if !r.isOwn(m) || at.Text < 0 || m.Start < at.Start || m.End > at.End {
			continue
		}
		last := slices.IndexFunc(all, func(s namingSentence) bool { return s.brand == m.Brand && s.at == at })
		if last < 0 {
			last = len(all)
			all = append(all, namingSentence{brand: m.Brand, text: shown.Texts[at.Text].Body[at.Start:at.End], at: at})
		}
		all[last].mentions = append(all[last].mentions, [2]int{m.Start - at.Start, m.End - at.Start})
	}
	return all
}

// inSentence returns the findings in a sentence.
func (r *Rules) inSentence(s namingSentence) (found []Finding) {
	brand, text := r.panel.Brands[s.brand].Name, prose(s.text)
	plain := wordsOf(text)
	words := withBrand(plain, s.mentions)
	var warned []hit
	for _, kind := range []earshot.ReviewKind{earshot.ReviewWarning, earshot.ReviewNegation} {
		// "No longer available" is one finding, though it is in both lists.
		hits := slices.DeleteFunc(flagged(kind, words), func(h hit) bool {
			return slices.ContainsFunc(warned, func(w hit) bool { return w.from < h.to && w.to > h.from })
		})
		if len(hits) == 0 {
			continue
		}
		warned = hits
		one := Finding{Brand: brand, Kind: kind, Sentence: s.text}
		for _, h := range hits {
			one.Matches = append(one.Matches, earshot.ReviewedWords{Reason: h.reason, Start: words[h.from].start, End: words[h.to-1].end})
		}
		found = append(found, one)
	}
	for _, f := range r.facts {
		if f.Brand != brand {
			continue
		}
		for _, one := range f.differences(text, plain) {
			one.Sentence = s.text
			found = append(found, one)
		}
	}
	return found
}

const (
	// maxSentence is the number of bytes to which Cut shortens a sentence.
	maxSentence = 1000
	// contextBefore is the number of bytes that Cut keeps before the first match.
	contextBefore = 300
)

// Cut shortens a long sentence around its first match. Call it after ID.
func (f *Finding) Cut() {
	if len(f.Sentence) <= maxSentence {
		return
	}
	from := max(0, f.Matches[0].Start-contextBefore)
	to := min(len(f.Sentence), from+maxSentence)
	for from > 0 && !utf8.RuneStart(f.Sentence[from]) {
		from--
	}
	for to < len(f.Sentence) && !utf8.RuneStart(f.Sentence[to]) {
		to--
	}
	f.Sentence = f.Sentence[from:to]
	f.Matches = slices.DeleteFunc(slices.Clone(f.Matches), func(m earshot.ReviewedWords) bool { return m.End > to })
	for i := range f.Matches {
		f.Matches[i].Start -= from
		f.Matches[i].End -= from
	}
}
