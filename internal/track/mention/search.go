package mention

import "earshot/internal/track/source"

// Where is the part of a search page that a mention stands in.
type Where string

// The parts.
const (
	InTitle    Where = "title"    // of an organic result
	InSnippet  Where = "snippet"  // of an organic result
	InOverview Where = "overview" // the AI overview
	InPanel    Where = "panel"    // the knowledge panel
)

// SearchPage is what a search page shows.
type SearchPage struct {
	Organic  []Organic
	Overview *Text    // nil where there is none
	Panel    []string // the texts of the panel, in their order
}

// Organic is an organic result. Title and snippet are plain text.
type Organic struct {
	Position       int // on all pages, from 1
	URL            string
	Title, Snippet string
}

// SearchMention is a mention on a search page. Its ranges are those of the text that
// it stands in; its position is among the brands of the whole page, part by part.
type SearchMention struct {
	Mention
	Where Where
	Index int // of the organic result or of the panel's text
}

// SearchFound is what a search page holds.
type SearchFound struct {
	Mentions []SearchMention // part by part: titles, snippets, overview, panel
	// Rank has for each brand the position of the first organic result on one of its
	// domains; 0 where there is none.
	Rank []int
}

// Search finds the brands on a search page. The prompt is cut out of the overview
// alone: a title that equals the question is the title of a page, not a quotation.
func (r *Rules) Search(page SearchPage) SearchFound {
	found := SearchFound{Rank: r.organicRanks(page.Organic)}
	titles := make([]Text, len(page.Organic))
	snippets := make([]Text, len(page.Organic))
	for i, o := range page.Organic {
		titles[i] = Text{Body: o.Title, Format: Plain}
		snippets[i] = Text{Body: o.Snippet, Format: Plain}
	}
	panel := make([]Text, len(page.Panel))
	for i, text := range page.Panel {
		panel[i] = Text{Body: text, Format: Plain}
	}
	found.Mentions = append(found.Mentions, r.part(InTitle, titles)...)
	found.Mentions = append(found.Mentions, r.part(InSnippet, snippets)...)
	if page.Overview != nil {
		found.Mentions = append(found.Mentions, r.part(InOverview, []Text{*page.Overview})...)
	}
	found.Mentions = append(found.Mentions, r.part(InPanel, panel)...)
	r.order(found.Mentions)
	return found
}

// part finds the mentions in the texts of one part.
func (r *Rules) part(where Where, texts []Text) []SearchMention {
	var mentions []SearchMention
	for i, text := range texts {
		for _, m := range r.Find(text).Mentions {
			mentions = append(mentions, SearchMention{Mention: m, Where: where, Index: i})
		}
	}
	return mentions
}

// order gives the brands of a page one order, in place of that of each text: only one of
// them is the first (decision 21).
func (r *Rules) order(mentions []SearchMention) {
	places := newPlaces(r.brands)
	for i := range mentions {
		if m := &mentions[i]; m.Counts() {
			m.Position = places.of(m.Brand)
		}
	}
}

func (r *Rules) organicRanks(results []Organic) []int {
	ranks := make([]int, r.brands)
	for _, o := range results {
		if brand := r.BrandOf(o.URL); brand >= 0 && (ranks[brand] == 0 || o.Position < ranks[brand]) {
			ranks[brand] = o.Position
		}
	}
	return ranks
}

// BrandOf gives the brand on whose domains an address lies, or -1.
func (r *Rules) BrandOf(address string) int {
	page, err := source.Parse(address)
	if err != nil {
		return -1
	}
	brand, _ := r.brandOf(page.Host)
	return brand
}
