package analysis

import (
	"cmp"
	"slices"
	"strings"

	"earshot/internal/track/mention"
)

// Shown is an analysis with the searched texts.
type Shown struct {
	*Analysis
	Texts     []Text
	Sentences []Sentence // one per mention
}

// Text is a text that was searched.
type Text struct {
	Where  mention.Where
	Index  int // of the organic result, or of the text in a knowledge panel
	Format mention.Format
	Body   string
}

// Sentence is the sentence of a mention.
type Sentence struct {
	Text       int // index into Shown.Texts
	Start, End int // byte offsets in the text
}

// Show analyses a result like Analyse and returns the texts and sentences as well.
func (p *Panel) Show(stored []byte, q Question) (*Shown, error) {
	shown := &Shown{Analysis: &Analysis{}}
	l := analyser{Panel: p, Question: q, found: shown.Analysis, shown: shown}
	if err := l.analyse(stored); err != nil {
		return nil, err
	}
	for i := range shown.Sentences {
		s, m := &shown.Sentences[i], shown.Mentions[i]
		s.Text = slices.IndexFunc(shown.Texts, func(t Text) bool { return t.Where == m.Where && t.Index == m.Index })
	}
	return shown, nil
}

// text adds a searched text. Like page and sentence, it does nothing if s is nil.
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

// NameOf returns the name or domain that matched a mention.
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

// Order returns the brands that an answer names, in the order of their first mentions.
func (f *Analysis) Order(p *Panel) []string {
	var brands []string
	for _, m := range f.Mentions {
		if name := p.Brands[m.Brand].Name; m.Kind != mention.Absent && !slices.Contains(brands, name) {
			brands = append(brands, name)
		}
	}
	return brands
}

// Domains returns the domains that an answer cites.
func (f *Analysis) Domains() map[string]bool {
	domains := map[string]bool{}
	for _, c := range f.Citations {
		domains[c.Domain] = true
	}
	return domains
}

// Plain returns the visible text of a result as lines: the text of an assistant, or the
// overview, titles and snippets of a search page.
func Plain(stored []byte) (string, error) {
	r, err := decodeResult(stored)
	if err != nil {
		return "", err
	}
	results := r.results()
	if results == nil {
		return cmp.Or(r.Text, r.Markdown), nil
	}
	var lines []string
	if o := r.SearchOverview; o != nil {
		lines = append(lines, cmp.Or(o.Text, o.Markdown))
	}
	for _, o := range results {
		lines = append(lines, o.Title, o.Snippet)
	}
	return strings.Join(lines, "\n"), nil
}

// Collisions returns the names of the panel that contain or equal other names of the panel.
func (p *Panel) Collisions() []mention.Collision { return p.rules.Collisions() }

// decodeAnswer decodes the assistant's answer or the overview of a search page. It returns nil
// if the page has no overview.
func decodeAnswer(stored []byte) (*prose, error) {
	r, err := decodeResult(stored)
	switch {
	case err != nil:
		return nil, err
	case r.results() != nil:
		return r.SearchOverview, nil
	default:
		return &r.prose, nil
	}
}

// Candidates returns words of a result that look like names and are not in the panel.
func (p *Panel) Candidates(stored []byte, prompt string) ([]mention.Candidate, error) {
	answer, err := decodeAnswer(stored)
	if err != nil || answer == nil {
		return nil, err
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
