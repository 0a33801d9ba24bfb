package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/track/mention"
)

// Shown is an analysis with the texts that its ranges are of.
type Shown struct {
	*Found
	Texts     []Text
	Sentences []Sentence // of the mentions, in their order
}

// Text is a text that was searched.
type Text struct {
	Where  mention.Where
	Index  int // of the organic result or of the panel's text
	Format mention.Format
	Body   string
}

// Sentence is the one around a mention, in bytes of the text that it stands in.
type Sentence struct {
	Text       int // index in Shown.Texts
	Start, End int
}

// Show is Analyse for people to look at.
func (p *Panel) Show(stored []byte, prompt string) (*Shown, error) {
	shown := &Shown{Found: &Found{}}
	l := look{Panel: p, found: shown.Found, shown: shown}
	if err := l.at(stored, prompt); err != nil {
		return nil, err
	}
	for i := range shown.Sentences {
		s, m := &shown.Sentences[i], shown.Mentions[i]
		s.Text = slices.IndexFunc(shown.Texts, func(t Text) bool { return t.Where == m.Where && t.Index == m.Index })
	}
	return shown, nil
}

// text, page and sentence note what a look has seen. Where nothing is to be shown the
// receiver is nil.
func (s *Shown) text(where mention.Where, index int, t mention.Text) {
	if s != nil {
		s.Texts = append(s.Texts, Text{Where: where, Index: index, Format: t.Format, Body: t.Body})
	}
}

func (s *Shown) page(page mention.SearchPage) {
	if s == nil {
		return
	}
	plain := func(where mention.Where, index int, body string) {
		s.text(where, index, mention.Text{Body: body, Format: mention.Plain})
	}
	for i, o := range page.Organic {
		plain(mention.InTitle, i, o.Title)
	}
	for i, o := range page.Organic {
		plain(mention.InSnippet, i, o.Snippet)
	}
	if page.Overview != nil {
		s.text(mention.InOverview, 0, *page.Overview)
	}
	for i, body := range page.Panel {
		plain(mention.InPanel, i, body)
	}
}

func (s *Shown) sentence(m mention.Mention) {
	if s != nil {
		s.Sentences = append(s.Sentences, Sentence{Start: m.SentenceStart, End: m.SentenceEnd})
	}
}

// NameOf is the name or the domain by which a mention was found.
func (p *Panel) NameOf(m Mention) string {
	brand := p.named[m.Brand]
	switch {
	case m.Kind == mention.Domain:
		return brand.Domains[m.Name]
	case m.Name == 0:
		return brand.Name
	default:
		return brand.Aliases[m.Name-1].Name
	}
}

// Order are the brands that an answer names, by the place of their first mention that
// counts.
func (f *Found) Order(p *Panel) []string {
	var brands []string
	for _, m := range f.Mentions {
		if name := p.Brands[m.Brand].Name; m.Kind != mention.Absent && !slices.Contains(brands, name) {
			brands = append(brands, name)
		}
	}
	return brands
}

// Domains are those that an answer cites.
func (f *Found) Domains() map[string]bool {
	domains := map[string]bool{}
	for _, c := range f.Citations {
		domains[c.Domain] = true
	}
	return domains
}

// Plain is what a reader sees of a result, as lines of plain text: the text of an
// assistant; of a search page the overview, then titles and snippets.
func Plain(stored []byte) (string, error) {
	var r result
	if err := json.Unmarshal(stored, &r); err != nil {
		return "", fmt.Errorf("read a result: %w", err)
	}
	results := r.results()
	if results == nil {
		return r.plain(), nil
	}
	var lines []string
	if r.SearchOverview != nil {
		lines = append(lines, r.SearchOverview.plain())
	}
	for _, o := range results {
		lines = append(lines, o.Title, o.Snippet)
	}
	return strings.Join(lines, "\n"), nil
}

func (a prose) plain() string {
	if a.Text != "" {
		return a.Text
	}
	return a.Markdown
}

// Collisions are names of the panel that are in each other's way.
func (p *Panel) Collisions() []mention.Collision { return p.rules.Collisions() }

// Candidates are what stands out in a result, looks like a name and is none of the
// panel's.
func (p *Panel) Candidates(stored []byte, prompt string) ([]mention.Candidate, error) {
	var r result
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	answer := &r.prose
	if r.results() != nil {
		if answer = r.SearchOverview; answer == nil {
			return nil, nil
		}
	}
	text, _ := answer.text(prompt)
	found := p.rules.Candidates(text)
	for _, e := range answer.Entities {
		if c, ok := p.rules.Candidate(e.Name, prompt); ok {
			found = append(found, c)
		}
	}
	return found, nil
}
