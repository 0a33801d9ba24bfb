package world

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sample selects one of many answers to a question. The brands that the answer names are
// drawn by known rates. Without a Sample, a question has a single answer.
type Sample struct {
	Rates *Rates
	Day   string // yyyy-mm-dd; empty for a day without noise, before every shift
	Seed  string // distinguishes the samples of a day
}

// Mention is a brand that an answer names.
type Mention struct {
	*BrandRate
	Cited bool // the answer also cites a page of the brand, if it searched
}

// Named returns the brands that the answer to a question names, in the order of the
// answer. This is the ground truth for tests: counting brands in the text must give the
// same result.
func Named(q Question) []Mention {
	var named []Mention
	places := map[*BrandRate]float64{}
	for i := range q.Sample.Rates.Brands {
		b := &q.Sample.Rates.Brands[i]
		d := q.chances(b.Name)
		if d.Float64() >= q.vary(b.Name, q.Sample.Rates.on(q.Sample.Day, b, "", b.Rate)) {
			continue
		}
		cited := d.Float64() < b.cited()
		if b.Retrieved != nil {
			_, cited = page(q, b)
		}
		named = append(named, Mention{b, cited})
		places[b] = b.Position + d.NormFloat64()
	}
	slices.SortStableFunc(named, func(a, b Mention) int { return cmp.Compare(places[a.BrandRate], places[b.BrandRate]) })
	return named
}

// chances returns the random numbers that decide about one subject of a sampled answer, such
// as a brand.
func (q Question) chances(subject string) dice {
	return seeded("answer", subject, q.Assistant, q.Country, q.State, q.normalized(), q.Sample.Day, q.Sample.Seed)
}

// vary returns the probability of a subject in the answer to the question: the rate, plus the
// noise of the question and of the day.
func (q Question) vary(subject string, rate float64) float64 {
	r, day := q.Sample.Rates, q.Sample.Day
	if rate <= 0 || rate >= 1 {
		return rate
	}
	// Noise in logits pulls the mean probability towards 0.5. To keep the mean at rate, the
	// logit is scaled up first. The factor 0.346 is from the usual approximation of the
	// logistic function by the normal distribution.
	x := math.Log(rate/(1-rate)) * math.Sqrt(1+0.346*(r.DayNoise*r.DayNoise+r.PromptNoise*r.PromptNoise))
	x += r.PromptNoise * seeded("prompt", subject, q.normalized()).NormFloat64()
	if day != "" {
		x += r.DayNoise * seeded("day", subject, q.Assistant, q.Country, q.State, day).NormFloat64()
	}
	return 1 / (1 + math.Exp(-x))
}

// sampler composes an answer that names exactly the brands that were drawn.
type sampler struct {
	*composer
	mentions []Mention
	drawn    Drawn
	pages    map[*BrandRate]Source // pages of the cited brands
	unused   map[string]bool       // addresses of pages that are retrieved and not cited
}

func newSampler(q Question) *sampler {
	s := &sampler{mentions: Named(q), drawn: Draw(q), pages: map[*BrandRate]Source{}, unused: map[string]bool{}}
	var names []string
	for _, m := range s.mentions {
		names = append(names, m.Name)
	}
	s.composer = composerOf(q, throw(q), names)
	return s
}

// composeSampled answers a question with text and citations, and with the products and ads
// that were drawn.
func composeSampled(q Question) *Answer {
	s := newSampler(q)
	a := &Answer{Language: s.book.language}
	if q.Search && s.drawn.Searches != 0 {
		a.Queries = s.searches()
		s.cite(a)
	}
	s.write(a)
	a.Related = s.several(fitting(s.book.Related, len(s.named)), 3)
	s.shop(a)
	return a
}

// cite adds the sources: pages of the cited brands, and of other sites.
func (s *sampler) cite(a *Answer) {
	for _, m := range s.mentions {
		if !m.Cited || m.Retrieved != nil {
			continue
		}
		page := Source{
			URL:   "https://" + m.domain() + "/" + pick(s.dice, ownPages),
			Title: m.Name, Site: m.Name, Snippet: s.about(m.BrandRate),
		}
		s.pages[m.BrandRate] = page
		a.Sources = append(a.Sources, page)
	}
	s.retrieve(a)
	titles := fitting(s.book.Titles, 0)
	for i, site := range s.sites() {
		a.Sources = append(a.Sources, Source{
			URL:   "https://" + site.home() + "/" + year + "/" + slug(subject(s.q.Prompt)),
			Title: s.words.Replace(titles[i%len(titles)]), Site: site.name, Snippet: s.one(fitting(s.book.Snippets, 0)),
		})
	}
	s.Shuffle(len(a.Sources), func(i, j int) { a.Sources[i], a.Sources[j] = a.Sources[j], a.Sources[i] })
}

// sites returns some sites that belong to no brand, at least one. As with real
// assistants, a few sites are cited often and most rarely.
func (s *sampler) sites() (cited []outlet) {
	for _, site := range sampledSites {
		if s.chance(site.percent) {
			cited = append(cited, site.outlet)
		}
	}
	if cited == nil {
		cited = []outlet{sampledSites[0].outlet}
	}
	return cited
}

// sampledSites are sites with the percentage of answers that cite them.
var sampledSites = []struct {
	outlet
	percent int
}{
	{magazines[5], 58},
	{magazines[9], 50},
	{magazines[0], 42},
	{magazines[8], 36},
	{magazines[1], 30},
	{shops[0], 25},
	{magazines[6], 22},
	{magazines[3], 18},
	{outlet{"VidLoop", "vidloop"}, 15},
	{magazines[7], 12},
	{magazines[2], 9},
	{shops[6], 6},
	{magazines[4], 4},
}

// home returns the host of a site, which is the same for all countries. Each site has its
// own domain, so that sources are distinct.
func (o outlet) home() string { return "www." + o.word + ".example" }

// ownPages are the paths of a brand's pages.
var ownPages = []string{"", "guide", "compare", "reviews"}

// about returns a sentence about a brand.
func (s *sampler) about(b *BrandRate) string {
	return s.words.Replace(strings.ReplaceAll(s.book.Search.About, "{brand}", b.Name))
}

// write writes the text: a comparison of the first two brands, then all brands, as a list
// or as paragraphs.
func (s *sampler) write(a *Answer) {
	say := func(kind BlockKind, lines ...Line) {
		a.Blocks = append(a.Blocks, Block{Kind: kind, Lines: lines})
	}
	say(Paragraph, s.line(fitting(s.book.Intro, len(s.named))))
	if len(s.named) > 1 && s.chance(50) {
		say(Paragraph, s.cited(a, s.line(s.book.Context)))
	}
	items := s.items(a)
	switch {
	case len(items) == 0:
	case s.chance(25):
		for _, item := range items {
			say(Paragraph, item)
		}
	default:
		say(Heading, Line{{Text: s.book.Heading}})
		say(pick(s.dice, []BlockKind{Bullets, Numbered, Numbered}), items...)
	}
	say(Paragraph, s.citedAlone(s.cited(a, s.line(s.book.Advice))))
	say(Paragraph, s.line(fitting(s.book.Closing, len(s.named))))
}

// items returns a line for each brand with a reason and, if the brand is cited, its page.
func (s *sampler) items(a *Answer) []Line {
	reasons := draw(s.dice, s.book.Item, len(s.book.Item))
	lines := make([]Line, len(s.mentions))
	for i, m := range s.mentions {
		line := Line{{Text: m.Name, Brand: true}, {Text: " "}, {Text: pick(s.dice, models), Strong: true}, {Text: " – " + reasons[i%len(reasons)]}}
		if page, found := s.pages[m.BrandRate]; found {
			line = append(line, Span{Text: " "}, Span{Cites: []Source{page}})
		} else if s.chance(50) {
			line = s.cited(a, line)
		}
		lines[i] = line
	}
	return lines
}

// fitting returns the phrases that name at most this many brands. Every language has
// phrases that name no brand.
func fitting(phrases []string, brands int) []string {
	if brands > 1 {
		return phrases
	}
	return slices.DeleteFunc(slices.Clone(phrases), func(phrase string) bool {
		return strings.Contains(phrase, "{other}") || brands == 0 && strings.Contains(phrase, "{brand}")
	})
}

// findSampled composes a page of search results. Each drawn brand has one result on the
// first page, and the overview names them.
func findSampled(q Search) *Findings {
	s := newSampler(q.Question)
	found := &Findings{Language: s.book.language, Labels: s.book.Search.Labels}
	ranks := s.Perm(PageSize)[:len(s.mentions)]
	slices.Sort(ranks)
	total := sampledResults
	if q.Total != nil {
		total = *q.Total
	}
	for rank := q.Start; rank < min(q.Start+PageSize, total); rank++ {
		if at := slices.Index(ranks, rank); at >= 0 {
			found.Results = append(found.Results, s.ownResult(s.mentions[at].BrandRate))
		} else {
			found.Results = append(found.Results, s.otherResult(rank))
		}
	}
	if len(found.Results) == 0 {
		return found
	}
	found.Related = s.several(fitting(s.book.Search.Searches, 0), 3)
	if q.Start == 0 {
		if s.drawn.Overview && !q.NoOverview {
			found.Overview = Overview(q.Question)
		}
		s.more(found)
	}
	return found
}

// sampledResults is the total number of results of a sampled search.
const sampledResults = 6 * PageSize

// ownResult returns a page of a brand.
func (s *sampler) ownResult(b *BrandRate) Result {
	link := "https://" + b.domain() + "/"
	return Result{
		Source: Source{URL: link, Title: subject(s.q.Prompt) + " | " + b.Name, Site: b.Name, Snippet: s.about(b)},
		Shown:  "https://" + b.domain(),
	}
}

// otherResult returns a page that names no brand. Its URL contains the rank, so that no
// two results have the same URL.
func (s *sampler) otherResult(rank int) Result {
	site := magazines[(rank+len(s.q.Prompt))%len(magazines)]
	host := site.home()
	return Result{
		Source: Source{
			URL: fmt.Sprintf("https://%s/%s/%d", host, year, 1000+rank), Title: s.one(fitting(s.book.Titles, 0)), Site: site.name,
			Snippet: s.one(fitting(s.book.Snippets, 0)) + " " + s.one(s.book.Advice),
		},
		Shown: fmt.Sprintf("https://%s › %s", host, year),
	}
}
