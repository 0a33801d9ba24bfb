package genassistant

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/webtext"
)

// Limits on what is read of an answer. Real answers have up to a few hundred claims with about ten
// pages each.
const (
	maxClaims = 500
	maxPages  = 20      // of a claim
	maxLink   = 4 << 10 // bytes
	maxTitle  = 1 << 10
)

// generation is the answer of the API as far as it was read.
type generation struct {
	model   string
	finish  string // the finish reason
	refused string // why the API refused to answer
	ended   bool

	text  strings.Builder
	parts []int // where each part of the message begins in the text
	open  bool  // the next chunk can continue the last part

	queries, mapQueries earshot.List[string]
	called              earshot.List[string] // queries in tool calls
	places              []earshot.Place

	sources answer.Sources
	chunks  []*answer.Citation // the pages that claims refer to by index; nil for a chunk without a page
	claims  []claim
	hosts   map[string]string // the domain behind each redirect link, if known
}

// claim is a range of a part's text, in bytes, and the pages that support it.
type claim struct {
	part, start, end int
	text             string // the text of the range, if given
	pages            []answer.Citation
}

// addText appends text, up to the maximum length of an answer.
func (g *generation) addText(text string) {
	g.text.WriteString(text[:min(len(text), max(webtext.MaxText-g.text.Len(), 0))])
}

// addClaim adds a claim, unless a stream repeats it.
func (g *generation) addClaim(c claim) {
	known := func(old claim) bool {
		return old.part == c.part && old.start == c.start && old.end == c.end && slices.Equal(old.pages, c.pages)
	}
	if len(c.pages) > 0 && len(g.claims) < maxClaims && !slices.ContainsFunc(g.claims, known) {
		g.claims = append(g.claims, c)
	}
}

// hostName matches titles that are just a domain name.
var hostName = regexp.MustCompile(`^(?i)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63}$`)

// webPage returns the page at an address. Most addresses are redirect links, and only the title
// hints at their destination.
func (g *generation) webPage(address, title, domain string) (answer.Citation, bool) {
	link, ok := webtext.Destination(strings.ReplaceAll(address, " ", "%20"), nil, nil)
	if !ok || len(link) > maxLink {
		return answer.Citation{}, false
	}
	title = strings.ToValidUTF8(title[:min(len(title), maxTitle)], "")
	page := answer.Citation{Source: earshot.Source{URL: link, Label: title}}
	if isRedirect(link) {
		page.Source.RedirectLink = link
		if domain == "" && hostName.MatchString(title) {
			domain = title
		}
		if domain != "" && g.hosts[link] == "" {
			if g.hosts == nil {
				g.hosts = map[string]string{}
			}
			g.hosts[link] = strings.TrimPrefix(strings.ToLower(domain), "www.")
		}
		page.Source.Label = cmp.Or(title, domain)
	}
	page.Label = page.Source.Label
	return page, true
}

// answer returns the complete answer.
func (g *generation) answer(want answer.Options) *earshot.Answer {
	a := &earshot.Answer{
		Model:            answer.ModelName(g.model),
		SearchQueries:    answer.AddQueries(g.queries, g.called...),
		MapSearchQueries: g.mapQueries,
		Places:           g.places,
	}
	g.write(a, want.Markdown)
	g.sources.Fill(a)
	nameHosts(a, g.hosts)
	return a
}

// write writes the text, with a chip at the end of each claim.
func (g *generation) write(a *earshot.Answer, markdown bool) {
	text := strings.ToValidUTF8(g.text.String(), "")
	for i := range g.claims {
		g.claims[i].end = g.locate(text, g.claims[i])
	}
	slices.SortStableFunc(g.claims, func(a, b claim) int { return a.end - b.end })
	blocks := make([]answer.Block, 0, len(g.claims)+1)
	at := 0
	for _, c := range g.claims {
		blocks = append(blocks, answer.Block{Text: text[at:c.end], Citations: c.pages})
		at = c.end
	}
	blocks = append(blocks, answer.Block{Text: text[at:]})
	g.sources.Write(blocks).Fill(a, markdown)
}

// locate returns where a claim ends in the text. Its position counts bytes from the beginning of
// its part or of the whole visible text, and is sometimes slightly wrong. If the text of the claim
// is given, locate searches for that text.
func (g *generation) locate(text string, c claim) int {
	begin := 0
	if c.part < len(g.parts) {
		begin = g.parts[c.part]
	}
	for _, from := range []int{begin, 0} {
		if start, end := from+c.start, from+c.end; c.text != "" && start <= end && end <= len(text) && text[start:end] == c.text {
			return end
		}
	}
	if c.text != "" {
		for _, from := range []int{begin + c.start - nearby, 0} {
			from = min(max(from, 0), len(text))
			if i := strings.Index(text[from:], c.text); i >= 0 {
				return from + i + len(c.text)
			}
		}
	}
	end := min(begin+c.end, len(text))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return end
}

// nearby is how many bytes before a claim's position the search for its text begins.
const nearby = 64
