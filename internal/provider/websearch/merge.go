package websearch

import (
	"cmp"
	"strconv"
	"strings"

	"earshot"
)

// merge merges the pages of a search. Positions of results continue from page to page. Everything
// else that several pages show is added once.
func merge(pages []*page) (*earshot.WebSearch, []question) {
	m := merger{result: &earshot.WebSearch{}, seen: map[string]bool{}}
	for i, p := range pages {
		m.add(p, i+1)
	}
	return m.result, m.questions
}

// showQuestions adds the questions to the result after their overviews have been fetched.
func showQuestions(result *earshot.WebSearch, questions []question) {
	for _, q := range questions {
		result.PeopleAlsoAsk = append(result.PeopleAlsoAsk, q.Question)
	}
}

type merger struct {
	result    *earshot.WebSearch
	questions []question
	seen      map[string]bool // kind and name of the items that were added
	products  int
}

// isNew reports whether it is called for the first time with a kind and names.
func (m *merger) isNew(kind string, names ...string) bool {
	key := kind + "\x00" + strings.ToLower(strings.Join(names, "\x00"))
	if m.seen[key] {
		return false
	}
	m.seen[key] = true
	return true
}

func (m *merger) add(p *page, number int) {
	all := m.result
	for _, result := range p.OrganicResults {
		if !m.isNew("result", strconv.Itoa(number), result.Title, result.Link) {
			continue // a copy for another screen size
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
	for _, search := range p.RelatedSearches {
		if m.isNew("search", search.Query) {
			all.RelatedSearches = append(all.RelatedSearches, search)
		}
	}
	all.SearchOverview = cmp.Or(all.SearchOverview, p.SearchOverview)
	all.KnowledgeGraph = cmp.Or(all.KnowledgeGraph, p.KnowledgeGraph)
	m.addBlocks(p)
	times := map[string]int{} // how often this page has shown a product
	for _, card := range p.ShoppingCards {
		m.addCard(card, times)
	}
}

func (m *merger) addCard(card earshot.ShoppingCard, times map[string]int) {
	shown := earshot.ShoppingCard{Title: card.Title, Tags: card.Tags}
	for _, product := range card.Products {
		name := strings.Join([]string{product.Title, product.Merchant, product.URL, product.ID, rawPrice(product.Price)}, "\x00")
		times[name]++
		if m.isNew("product", name, strconv.Itoa(times[name])) {
			m.products++
			product.Position = m.products
			shown.Products = append(shown.Products, product)
		}
	}
	if len(shown.Products) > 0 {
		m.result.ShoppingCards = append(m.result.ShoppingCards, shown)
	}
}

// rawPrice returns the price as the page shows it, or "".
func rawPrice(price *earshot.Price) string {
	if price == nil {
		return ""
	}
	return price.Raw
}

// addBlocks adds the other blocks of a page.
func (m *merger) addBlocks(p *page) {
	all := m.result
	all.FeaturedSnippet = cmp.Or(all.FeaturedSnippet, p.FeaturedSnippet)
	all.AnswerBox = cmp.Or(all.AnswerBox, p.AnswerBox)
	all.Ads = addNew(m, "ad", all.Ads, p.Ads, func(a *earshot.Ad) (*int, string) {
		return &a.Position, strings.Join([]string{a.Block, a.Type, a.Title, a.URL, a.Merchant, rawPrice(a.Price)}, "\x00")
	})
	all.Places = addNew(m, "place", all.Places, p.Places, func(p *earshot.Place) (*int, string) { return &p.Position, p.Name + "\x00" + p.Address })
	all.Videos = addNew(m, "video", all.Videos, p.Videos, func(v *earshot.Video) (*int, string) { return &v.Position, v.URL })
	all.Discussions = addNew(m, "discussion", all.Discussions, p.Discussions, func(d *earshot.Discussion) (*int, string) { return &d.Position, d.Link })
	all.TopStories = addNew(m, "story", all.TopStories, p.TopStories, func(s *earshot.TopStory) (*int, string) { return &s.Position, s.Link })
	for _, image := range p.Images { // several images can be from the same page
		image.Position = len(all.Images) + 1
		all.Images = append(all.Images, image)
	}
	all.Posts = addNew(m, "post", all.Posts, p.Posts, func(s *earshot.SearchPost) (*int, string) { return &s.Position, s.Link })
	all.Recipes = addNew(m, "recipe", all.Recipes, p.Recipes, func(r *earshot.Recipe) (*int, string) { return &r.Position, r.Title + " " + r.Link })
	all.Events = addNew(m, "event", all.Events, p.Events, func(e *earshot.Event) (*int, string) {
		return &e.Position, e.Title + " " + e.Date + " " + e.Venue
	})
	all.Jobs = addNew(m, "job", all.Jobs, p.Jobs, func(j *earshot.JobPosting) (*int, string) {
		return &j.Position, j.Title + " " + j.Company + " " + j.Link
	})
	all.Spelling = cmp.Or(all.Spelling, p.Spelling)
	for _, chip := range p.Refinements {
		if m.isNew("refinement", chip.Title) {
			all.Refinements = append(all.Refinements, chip)
		}
	}
	for _, list := range p.Carousels {
		var shown earshot.List[earshot.CarouselItem]
		shown = addNew(m, "list "+list.Title, shown, list.Items, func(i *earshot.CarouselItem) (*int, string) { return &i.Position, i.Title })
		if len(shown) > 0 {
			all.Carousels = append(all.Carousels, earshot.Carousel{Title: list.Title, Items: shown})
		}
	}
	for _, block := range p.Layout {
		block.Position = len(all.Layout) + 1
		all.Layout = append(all.Layout, block)
	}
}

// addNew appends the items that are new and sets their positions. of returns the position field and
// the name of an item.
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
