package websearch

import (
	"slices"
	"strconv"
	"strings"

	"earshot"
)

// merge puts what several pages show together. Results count on over the pages;
// everything else is taken once, however often it is shown.
func merge(pages []*page) (*earshot.WebSearch, []question) {
	m := merger{result: &earshot.WebSearch{}, seen: map[string]bool{}}
	for i, p := range pages {
		m.add(p, i+1)
	}
	return m.result, m.questions
}

// showQuestions puts the questions into the result, once they are as complete as
// they get.
func showQuestions(result *earshot.WebSearch, questions []question) {
	for _, q := range questions {
		result.PeopleAlsoAsk = append(result.PeopleAlsoAsk, q.Question)
	}
}

type merger struct {
	result    *earshot.WebSearch
	questions []question
	seen      map[string]bool // kind and name of what was taken already
	key       []byte          // of the last of them, used again
	products  int
}

// isNew tells whether a thing of a kind was not there before, and notes it.
func (m *merger) isNew(kind string, names ...string) bool {
	m.key = append(m.key[:0], kind...)
	for _, name := range names {
		m.key = append(append(m.key, 0), strings.ToLower(name)...)
	}
	if m.seen[string(m.key)] {
		return false
	}
	m.seen[string(m.key)] = true
	return true
}

func (m *merger) add(p *page, number int) {
	all := m.result
	all.OrganicResults = slices.Grow(all.OrganicResults, len(p.organic))
	all.Ads = slices.Grow(all.Ads, len(p.ads))
	for _, result := range p.organic {
		if !m.isNew("result", strconv.Itoa(number), result.Title, result.Link) {
			continue // the same once more, for another size of screen
		}
		result.Page = number
		result.Position = len(all.OrganicResults) + 1
		all.OrganicResults = append(all.OrganicResults, result)
	}
	for _, q := range p.questions {
		if m.isNew("question", q.Question.Question) {
			m.questions = append(m.questions, q)
		}
	}
	for _, search := range p.related {
		if m.isNew("search", search.Query) {
			all.RelatedSearches = append(all.RelatedSearches, search)
		}
	}
	for _, ad := range p.ads {
		if m.isNew("ad", ad.Block, ad.Type, ad.Title, ad.URL) {
			ad.Position = len(all.Ads) + 1
			all.Ads = append(all.Ads, ad)
		}
	}
	if all.SearchOverview == nil {
		all.SearchOverview = p.overview
	}
	if all.KnowledgeGraph == nil {
		all.KnowledgeGraph = p.knowledge
	}
	m.addThings(p)
	m.addBlocks(p)
}

// addThings adds what a page shows between its results.
func (m *merger) addThings(p *page) {
	all := m.result
	for _, place := range p.places {
		if m.isNew("place", place.Name, place.Address) {
			place.Position = len(all.Places) + 1
			all.Places = append(all.Places, place)
		}
	}
	for _, video := range p.videos {
		if m.isNew("video", video.URL) {
			video.Position = len(all.Videos) + 1
			all.Videos = append(all.Videos, video)
		}
	}
	for _, thread := range p.discussions {
		if m.isNew("discussion", thread.Link) {
			thread.Position = len(all.Discussions) + 1
			all.Discussions = append(all.Discussions, thread)
		}
	}
	for _, card := range p.cards {
		m.addCard(card)
	}
}

func (m *merger) addCard(card earshot.ShoppingCard) {
	shown := earshot.ShoppingCard{Title: card.Title, Tags: card.Tags}
	for _, product := range card.Products {
		if m.isNew("product", product.Title, product.Merchant, product.URL) {
			m.products++
			product.Position = m.products
			shown.Products = append(shown.Products, product)
		}
	}
	if len(shown.Products) > 0 {
		m.result.ShoppingCards = append(m.result.ShoppingCards, shown)
	}
}

// addBlocks adds the other blocks of a page.
func (m *merger) addBlocks(p *page) {
	all := m.result
	if all.FeaturedSnippet == nil {
		all.FeaturedSnippet = p.snippet
	}
	if all.AnswerBox == nil {
		all.AnswerBox = p.box
	}
	all.TopStories = addNew(m, "story", all.TopStories, p.stories, func(s *earshot.TopStory) (*int, string) { return &s.Position, s.Link })
	for _, image := range p.images { // several may be of one page
		image.Position = len(all.Images) + 1
		all.Images = append(all.Images, image)
	}
	all.Posts = addNew(m, "post", all.Posts, p.posts, func(s *earshot.SearchPost) (*int, string) { return &s.Position, s.Link })
	all.Recipes = addNew(m, "recipe", all.Recipes, p.recipes, func(r *earshot.Recipe) (*int, string) { return &r.Position, r.Title + " " + r.Link })
	all.Events = addNew(m, "event", all.Events, p.events, func(e *earshot.Event) (*int, string) {
		return &e.Position, e.Title + " " + e.Date + " " + e.Venue
	})
	all.Jobs = addNew(m, "job", all.Jobs, p.jobs, func(j *earshot.JobPosting) (*int, string) {
		return &j.Position, j.Title + " " + j.Company + " " + j.Link
	})
	for _, list := range p.carousels {
		var shown earshot.List[earshot.CarouselItem]
		shown = addNew(m, "list "+list.Title, shown, list.Items, func(i *earshot.CarouselItem) (*int, string) { return &i.Position, i.Title })
		if len(shown) > 0 {
			all.Carousels = append(all.Carousels, earshot.Carousel{Title: list.Title, Items: shown})
		}
	}
	for _, block := range p.layout {
		block.Position = len(all.Layout) + 1
		all.Layout = append(all.Layout, block)
	}
}

// addNew appends what was not there before, with its position. of tells where that
// goes, and by what a thing is known.
func addNew[T any, L ~[]T](m *merger, kind string, list L, found []T, of func(*T) (position *int, name string)) L {
	for _, thing := range found {
		position, name := of(&thing)
		if m.isNew(kind, name) {
			*position = len(list) + 1
			list = append(list, thing)
		}
	}
	return list
}
