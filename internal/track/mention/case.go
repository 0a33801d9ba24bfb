package mention

import (
	"fmt"
	"slices"
)

// Case is a text with the expected mentions: one line of a file for test/cases.
type Case struct {
	ID      string       `json:"id"`
	Why     string       `json:"why,omitempty"`
	Text    string       `json:"text"`
	Format  Format       `json:"format,omitempty"`
	Prompt  string       `json:"prompt,omitempty"`
	Sources []Source     `json:"sources,omitempty"`
	Brands  []BrandNames `json:"brands"`
	// Expect lists all expected mentions; any other mention is an error. Nil means that
	// nothing is compared.
	Expect []Expectation `json:"expect"`
}

// Expectation is a mention that a case expects.
type Expectation struct {
	Brand    string  `json:"brand"`
	Kind     Kind    `json:"kind"`
	Position *int    `json:"position"`
	ListRank *int    `json:"listRank"`
	Range    *[2]int `json:"range"` // bytes of the text; not compared if nil
}

// Outcome is the result of a case.
type Outcome struct {
	ID       string           `json:"id"`
	Mentions []OutcomeMention `json:"mentions"`
}

// OutcomeMention is a mention with the name of its brand.
type OutcomeMention struct {
	Brand    string `json:"brand"`
	Kind     Kind   `json:"kind"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Position *int   `json:"position"` // null if the mention is absent
	ListRank *int   `json:"listRank"` // null if there is no list rank
}

// Run finds the brands of a case in its text. Its error is of type Problems.
func (c Case) Run() (Outcome, error) {
	if c.Format != "" && c.Format != Markdown && c.Format != Plain {
		return Outcome{}, Problems{{"format", "must be markdown or plain"}}
	}
	rules, err := Compile(c.Brands)
	if err != nil {
		return Outcome{}, err
	}
	found := rules.Find(Text{Body: c.Text, Format: c.Format, Prompt: c.Prompt, Sources: c.Sources})
	outcome := Outcome{ID: c.ID, Mentions: []OutcomeMention{}}
	for _, m := range found.Mentions {
		view := OutcomeMention{Brand: c.Brands[m.Brand].Name, Kind: m.Kind, Start: m.Start, End: m.End}
		if m.Counts() {
			view.Position = &m.Position
		}
		if m.ListRank > 0 {
			view.ListRank = &m.ListRank
		}
		outcome.Mentions = append(outcome.Mentions, view)
	}
	return outcome, nil
}

// Differences returns a line for each expected mention that was not found and for each
// mention that was not expected.
func (c Case) Differences(outcome Outcome) []string {
	if c.Expect == nil {
		return nil
	}
	var lines []string
	left := slices.Clone(outcome.Mentions)
	for _, e := range c.Expect {
		at := slices.IndexFunc(left, e.matches)
		if at < 0 {
			lines = append(lines, "missing: "+e.String())
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	for _, m := range left {
		lines = append(lines, "found:   "+m.String())
	}
	return lines
}

func (e Expectation) matches(m OutcomeMention) bool {
	return e.Brand == m.Brand && e.Kind == m.Kind && same(e.Position, m.Position) && same(e.ListRank, m.ListRank) &&
		(e.Range == nil || *e.Range == [2]int{m.Start, m.End})
}

func same(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (e Expectation) String() string {
	place := [2]int{-1, -1}
	if e.Range != nil {
		place = *e.Range
	}
	return OutcomeMention{e.Brand, e.Kind, place[0], place[1], e.Position, e.ListRank}.String()
}

func (m OutcomeMention) String() string {
	text := fmt.Sprintf("%s (%s), bytes %d to %d", m.Brand, m.Kind, m.Start, m.End)
	if m.Start < 0 {
		text = fmt.Sprintf("%s (%s)", m.Brand, m.Kind)
	}
	if m.Position != nil {
		text += fmt.Sprintf(", position %d", *m.Position)
	}
	if m.ListRank != nil {
		text += fmt.Sprintf(", list rank %d", *m.ListRank)
	}
	return text
}
