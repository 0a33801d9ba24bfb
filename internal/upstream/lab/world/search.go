package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// PageSize is the number of results on a page of a search.
const PageSize = 10

// Search is a search query and the page of its results.
type Search struct {
	Question

	Start      int  // number of results to skip
	Total      *int // total number of results; nil leaves it to the world
	NoOverview bool // omit the AI overview
}

// Findings are the content of one page of a search. Only the first page has further
// blocks, except for related searches and the ads at the bottom.
type Findings struct {
	Language  string
	Labels    Labels
	Results   []Result
	Overview  *Answer // nil if the page has no overview
	Asked     []Asked
	Related   []string
	TopAds    []SearchAd
	BottomAds []SearchAd
	Products  []Product // paid placements
	Cards     []Card
	Places    []Place
	Videos    []Video
	Threads   []Thread
	Panel     *Panel
	Blocks    Blocks
}

// Result is a search result.
type Result struct {
	Source

	Shown     string // the URL as displayed, path elements separated by " › "
	Sitelinks []Sitelink
}

// Sitelink is a further page of the same site.
type Sitelink struct{ Title, URL string }

// Asked is a related question ("people also ask"). If Page is nil, an overview answers it.
type Asked struct {
	Question string
	Page     *Source
}

// SearchAd is an ad above or below the results.
type SearchAd struct {
	Ad

	Sitelinks []Sitelink
}

// Thread is a discussion in a forum.
type Thread struct {
	Title, URL, Forum, Ago string
}

// Panel is the knowledge panel about the subject of the search.
type Panel struct {
	Title, Kind, Description, Source, SourceURL, Website, Image string
	Facts                                                       []Fact
	Profiles                                                    []Sitelink
}

// Fact is a line of a panel.
type Fact struct{ Key, Name, Value string }

// searcher returns a composer for one part of a search. Its choices depend only on the
// question and the part.
func searcher(q Question, part string) *composer {
	q.Assistant = "search " + part // part of the seed
	return newComposer(q)
}

// end returns the rank after the last result on the page. part seeds the total number of
// results.
func (s Search) end(part string) int {
	total := searcher(s.Question, part).between(54, 66)
	if s.Total != nil {
		total = *s.Total
	}
	return min(s.Start+PageSize, total)
}

// Find composes a page of a search. The result depends only on s.
func Find(s Search) *Findings {
	if s.Sample != nil {
		return findSampled(s)
	}
	c := searcher(s.Question, "page "+strconv.Itoa(s.Start))
	found := &Findings{Language: c.book.language, Labels: c.book.Search.Labels}
	for rank, end := s.Start, s.end("total"); rank < end; rank++ {
		found.Results = append(found.Results, searcher(s.Question, "result "+strconv.Itoa(rank)).result(rank))
	}
	if len(found.Results) == 0 {
		return found
	}
	found.Related = c.several(c.book.Search.Searches, PageSize-2)
	found.BottomAds = c.searchAds(s.Start/PageSize, 1)
	if s.Start > 0 {
		return found
	}
	c.firstPage(found, s)
	return found
}

// firstPage adds the blocks that only the first page has.
func (c *composer) firstPage(found *Findings, s Search) {
	if !s.NoOverview {
		found.Overview = Overview(s.Question)
	}
	found.TopAds = c.searchAds(len(magazines), c.between(1, 2))
	for range c.between(3, 4) {
		found.Products = append(found.Products, c.product())
	}
	card := Card{Title: found.Labels.Products}
	for range c.between(3, 4) {
		card.Products = append(card.Products, c.product())
	}
	found.Cards = []Card{card}
	found.Asked = c.asked()
	found.Places = c.places()
	found.Videos = c.videos(c.book.Video, 2)
	found.Threads = c.threads(c.several(c.book.Search.Threads, c.between(2, 3)))
	found.Panel = c.panel()
	found.Blocks = blocks(s)
}

// Overview returns the AI overview of a search or of a question.
func Overview(q Question) *Answer {
	q.Search = true
	q.Prompt = strings.TrimSpace(q.Prompt)
	if q.Sample != nil { // an overview always has sources
		sample, rates := *q.Sample, *q.Sample.Rates
		rates.Searches, sample.Rates, q.Sample = nil, &rates, &sample
	}
	return Compose(q)
}

// result returns the page at a rank. Its URL contains the rank, so that no two results
// have the same URL.
func (c *composer) result(rank int) Result {
	site := pick(c.dice, slices.Concat(magazines, shops))
	host := c.host(site.word)
	topic := slug(c.named[0])
	r := Result{
		Source: Source{
			URL:     fmt.Sprintf("https://%s/%s/%s-%d", host, year, topic, 1000+rank*7+c.between(0, 6)),
			Title:   c.one(slices.Concat(c.book.Titles, c.book.Search.Titles)),
			Site:    site.name,
			Snippet: c.one(c.book.Snippets) + " " + c.one(c.book.Advice),
		},
		Shown: fmt.Sprintf("https://%s › %s › %s", host, year, topic),
	}
	if c.chance(50) {
		r.Published = c.book.Search.day(c.between(1, 28), c.between(1, 9))
	}
	if rank == 0 || c.chance(15) {
		r.Sitelinks = c.sitelinks(host)
	}
	return r
}

func (c *composer) sitelinks(host string) []Sitelink {
	var links []Sitelink
	for _, title := range draw(c.dice, c.book.Search.Sections, c.between(2, 4)) {
		links = append(links, Sitelink{Title: title, URL: fmt.Sprintf("https://%s/%d", host, c.between(100, 999))})
	}
	return links
}

// searchAds returns n ads. Different values of pass give different brands.
func (c *composer) searchAds(pass, n int) []SearchAd {
	list := make([]SearchAd, n)
	for i := range list {
		brand := brands[(pass+i+c.between(0, 3)*7)%len(brands)]
		host := c.host(slug(brand))
		list[i].Ad = Ad{
			Title:       strings.NewReplacer("{brand}", brand).Replace(pick(c.dice, c.book.AdTitle)),
			URL:         fmt.Sprintf("https://%s/?c=%d", host, c.between(10, 99)),
			Description: c.one(c.book.AdText),
			Brand:       brand,
		}
		if c.chance(60) {
			list[i].Sitelinks = c.sitelinks(host)
		}
	}
	return list
}

// asked returns four questions. An overview answers one or two of them.
func (c *composer) asked() []Asked {
	questions := c.several(c.book.Search.Questions, 4)
	list := make([]Asked, len(questions))
	pages := c.sources(len(questions))
	byOverview := c.between(1, 2)
	for i, question := range questions {
		list[i].Question = question
		if i >= byOverview {
			list[i].Page = &pages[i]
		}
	}
	c.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func (c *composer) places() []Place {
	var a Answer
	for len(a.Places) == 0 {
		c.q.Search = true
		c.town(&a)
	}
	return a.Places
}

func (c *composer) threads(titles []string) []Thread {
	list := make([]Thread, len(titles))
	for i, title := range titles {
		list[i] = Thread{
			Title: title,
			URL:   fmt.Sprintf("https://%s/t/%d", c.host("forumnine"), c.between(10000, 99999)+i*100000),
			Forum: "Forum Nine",
			Ago:   c.book.Search.days(c.between(2, 28)),
		}
	}
	return list
}

// panel returns the panel of the brand that the page names first.
func (c *composer) panel() *Panel {
	brand := c.named[0]
	home := "https://" + c.host(slug(brand)) + "/"
	return &Panel{
		Title:       brand,
		Kind:        c.book.Search.Company,
		Description: c.words.Replace(c.book.Search.About),
		Source:      "Wiki of Things",
		SourceURL:   "https://" + c.host("wikiofthings") + "/" + slug(brand),
		Website:     home,
		Image:       "https://images.example/brands/" + slug(brand) + ".jpg",
		Facts: []Fact{
			{"founded", c.book.Search.Founded, strconv.Itoa(c.between(1921, 2015))},
			{"headquarters", c.book.Search.Seat, pick(c.dice, streets) + ", " + c.q.Country},
			{"products", c.book.Search.Makes, strings.Join(draw(c.dice, models, 3), ", ")},
		},
		Profiles: []Sitelink{
			{Title: "VidLoop", URL: "https://www.vidloop.example/@" + slug(brand)},
			{Title: "Murmur", URL: "https://www.murmur.example/" + slug(brand)},
		},
	}
}
