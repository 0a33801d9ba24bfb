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

// Limits on what is noted of an answer; real ones have up to some hundred claims
// with some ten pages each.
const (
	maxClaims  = 500
	maxPages   = 20 // of a claim
	maxQueries = 500
	maxLink    = 4 << 10 // bytes
	maxTitle   = 1 << 10
)

// generation is what the API has said so far.
type generation struct {
	model   string
	finish  string // why the answer ended
	refused string // why there may be none
	ended   bool

	text  strings.Builder
	parts []int // where in the text each part of the message begins
	open  bool  // the last part can go on

	queries, mapQueries earshot.List[string]
	called              earshot.List[string] // queries that a tool was called with
	places              []earshot.Place

	sources answer.Sources
	chunks  []*answer.Citation // the pages that claims count, nil for what is no page
	claims  []claim
	hosts   map[string]string // by redirect link, where that leads as far as it was told
}

// claim is a stretch of a part's text, in bytes, and the pages that it rests on.
type claim struct {
	part, start, end int
	text             string // the stretch itself, where it is told
	pages            []answer.Citation
}

func (g *generation) setModel(model string) {
	g.model = cmp.Or(g.model, strings.TrimPrefix(model, "models/"))
}

// say adds text, up to what an answer may have.
func (g *generation) say(text string) {
	g.text.WriteString(text[:min(len(text), max(webtext.MaxText-g.text.Len(), 0))])
}

// searched adds queries to a list.
func (g *generation) searched(list earshot.List[string], queries []string) earshot.List[string] {
	return answer.AddNew(list, queries[:min(len(queries), max(maxQueries-len(list), 0))]...)
}

// claim notes a claim, unless a stream has told it before.
func (g *generation) claim(c claim) {
	known := func(old claim) bool {
		return old.part == c.part && old.start == c.start && old.end == c.end && slices.Equal(old.pages, c.pages)
	}
	if len(c.pages) > 0 && len(g.claims) < maxClaims && !slices.ContainsFunc(g.claims, known) {
		g.claims = append(g.claims, c)
	}
}

// hostName is what a title looks like that is only the name of a site.
var hostName = regexp.MustCompile(`^(?i)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63}$`)

// webPage is the page at an address. Most addresses are redirect links, whose
// destination only the title hints at.
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

// answer is what was said.
func (g *generation) answer(want answer.Want) *earshot.Answer {
	a := &earshot.Answer{
		SearchQueries:    g.searched(g.queries, g.called),
		MapSearchQueries: g.mapQueries,
		Places:           g.places,
	}
	if g.model != "" {
		a.Model = &g.model
	}
	g.write(a, want.Markdown)
	g.sources.Fill(a)
	nameHosts(a, g.hosts)
	return a
}

// write writes the text, with the chips where their claims end.
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

// locate is where in the text a claim ends. Its bytes are counted from the
// beginning of its part, or of what is shown of the message, and at times are
// a little off: the stretch itself tells.
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

// nearby is how many bytes before its place a stretch is looked for.
const nearby = 64
