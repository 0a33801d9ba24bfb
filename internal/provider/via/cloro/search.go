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
	via.Each(result, "organicResults", func(o loosejson.Object) { page.AddOrganic(o, o.Int("page")) })
	via.Each(result, "peopleAlsoAsk", page.AddQuestion)
	via.Each(result, "relatedSearches", func(o loosejson.Object) { page.AddRelated(o.Text("query"), o.Text("link")) })
	for _, o := range result.Objects("ads") {
		kind := "text"
		if o.Text("type") == "SHOPPING_CARD" {
			kind = "shopping"
		}
		page.AddAd(o, kind)
	}
	via.Each(result, "localResults", page.AddPlace)
	via.Each(result, "videos", page.AddVideo)
	via.Each(result, "peopleAreSaying", page.AddDiscussion)
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
	via.Each(result, "newsResults", func(o loosejson.Object) { via.AddNews(news, o, o.Int("page")) })
	return news
}
