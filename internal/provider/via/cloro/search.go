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
	each := func(field string, add func(loosejson.Object)) {
		for _, o := range result.Objects(field) {
			add(o)
		}
	}
	for _, o := range result.Objects("organicResults") {
		page.AddOrganic(o, o.Int("page"))
	}
	each("peopleAlsoAsk", page.AddQuestion)
	each("relatedSearches", func(o loosejson.Object) { page.AddRelated(o.Text("query"), o.Text("link")) })
	for _, o := range result.Objects("ads") {
		kind := "text"
		if o.Text("type") == "SHOPPING_CARD" {
			kind = "shopping"
		}
		page.AddAd(o, kind)
	}
	each("localResults", page.AddPlace)
	each("videos", page.AddVideo)
	each("peopleAreSaying", page.AddDiscussion)
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
		via.AddNews(news, o, o.Int("page"))
	}
	return news
}
