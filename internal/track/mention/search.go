package mention

import "earshot/internal/track/source"

// Where is the part of a search page that contains a mention.
type Where string

// The parts of a search page.
const (
	InTitle    Where = "title"    // of an organic result
	InSnippet  Where = "snippet"  // of an organic result
	InOverview Where = "overview" // the AI overview
	InPanel    Where = "panel"    // the knowledge panel
)

// SearchPage has the texts of a search page.
type SearchPage struct {
	Organic  []Organic
	Overview *Text    // nil if there is none
	Panel    []string // the texts of the knowledge panel
}

// Organic is an organic result. Title and snippet are plain text.
type Organic struct {
	Title, Snippet string
}

// SearchMention is a mention on a search page. Its ranges refer to the text that contains it.
// Its position is the rank among the brands of the whole page, in the order of the parts.
type SearchMention struct {
	Mention
	Where Where
	Index int // index of the organic result or of the panel's text
}

// SearchFound is the result of Search.
type SearchFound struct {
	Mentions []SearchMention // in the order titles, snippets, overview, panel
}

// Search finds the brands on a search page. The prompt is excluded only in the overview: a
// title that is equal to the prompt is the title of a page, not a quotation.
func (r *Rules) Search(page SearchPage) SearchFound {
	var found SearchFound
	places := newPlaces(r.brands)
	search := func(where Where, index int, text Text) {
		for _, m := range r.Find(text).Mentions {
			if m.Counts() {
				m.Position = places.of(m.Brand) // on the whole page, not in the text
			}
			found.Mentions = append(found.Mentions, SearchMention{Mention: m, Where: where, Index: index})
		}
	}
	for i, o := range page.Organic {
		search(InTitle, i, Text{Body: o.Title, Format: Plain})
	}
	for i, o := range page.Organic {
		search(InSnippet, i, Text{Body: o.Snippet, Format: Plain})
	}
	if page.Overview != nil {
		search(InOverview, 0, *page.Overview)
	}
	for i, text := range page.Panel {
		search(InPanel, i, Text{Body: text, Format: Plain})
	}
	return found
}

// BrandOf returns the brand that owns the domain of an address, or -1.
func (r *Rules) BrandOf(address string) int {
	page, err := source.Parse(address)
	if err != nil {
		return -1
	}
	brand, _ := r.brandOf(page.Host)
	return brand
}
