package cloro

import (
	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
)

// readWeb reads the result pages of a web search. cloro delivers all pages in one list.
func readWeb(result loosejson.Object, q *provider.Question) *earshot.WebSearch {
	page := via.NewPage(q.Locale.Country)
	for _, o := range result.Objects("organicResults") {
		number := o.Count("page")
		if number == nil {
			number = new(1)
		}
		page.AddOrganic(o, *number)
	}
	for _, o := range result.Objects("peopleAlsoAsk") {
		page.AddQuestion(o)
	}
	for _, o := range result.Objects("relatedSearches") {
		page.AddRelated(o.Text("query"), o.Text("link"))
	}
	for _, o := range result.Objects("ads") {
		kind := "text"
		if o.Text("type") == "SHOPPING_CARD" {
			kind = "shopping"
		}
		page.AddAd(o, kind)
	}
	for _, o := range result.Objects("localResults") {
		page.AddPlace(o)
	}
	for _, o := range result.Objects("videos") {
		page.AddVideo(o)
	}
	for _, o := range result.Objects("peopleAreSaying") {
		page.AddDiscussion(o)
	}
	page.AddProducts("", result.Objects("shoppingCards"))
	panel := result.Object("knowledgeGraph")
	var attributes []earshot.KnowledgeAttribute
	for _, o := range panel.Objects("attributes") {
		attributes = append(attributes, earshot.KnowledgeAttribute{Name: o.Text("key", "name"), Value: o.Text("value")})
	}
	page.SetPanel(panel, attributes)
	if overview := result.Object("aioverview"); overview.Text("text", "markdown") != "" {
		page.SearchOverview = readAnswer(overview, q)
	}
	return page.WebSearch
}

// readNews reads the result pages of a news search.
func readNews(result loosejson.Object) *earshot.NewsSearch {
	news := &earshot.NewsSearch{}
	for _, o := range result.Objects("newsResults") {
		page := o.Count("page")
		if page == nil {
			page = new(1)
		}
		via.AddNews(news, o, *page)
	}
	return news
}
