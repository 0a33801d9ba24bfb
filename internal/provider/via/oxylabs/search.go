package oxylabs

import (
	"cmp"
	"maps"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/via"
)

// blocks returns the parsed blocks of a result page and the number of the page. Page
// numbers count from the first page that was asked for.
func blocks(result loosejson.Object, q *provider.Question) (found loosejson.Object, number int) {
	content := result.Object("content")
	found = content.Object("results")
	if found == nil {
		found = content
	}
	return found, max(1, result.Int("page")-q.First/serp.PageSize)
}

// items returns the list in a field, which may be wrapped in an object.
func items(o loosejson.Object, field string) []loosejson.Object {
	if list := o.Objects(field); list != nil {
		return list
	}
	return o.Object(field).Objects("items")
}

// readWeb reads the result pages of a web search.
func readWeb(list []loosejson.Object, q *provider.Question) *earshot.WebSearch {
	page := via.NewPage(q.Locale.Country)
	for _, result := range list {
		found, number := blocks(result, q)
		readPage(page, found, number)
		if q.Overview && page.SearchOverview == nil {
			page.SearchOverview = readOverview(found.Objects("ai_overviews"))
		}
	}
	return page.WebSearch
}

func readPage(page via.Page, found loosejson.Object, number int) {
	ranks := via.Ranks{Field: "pos_overall"}
	organic := found.Objects("organic")
	for _, o := range organic {
		page.AddOrganic(o, number)
	}
	ranks.Add(earshot.BlockOrganic, organic...)
	for _, o := range found.Objects("paid") {
		page.AddAd(withBlock(o, organic), "text")
		ranks.Add(earshot.BlockAds, o)
	}
	each := func(field string, block earshot.BlockType, add func(loosejson.Object)) {
		list := items(found, field)
		for _, o := range list {
			add(o)
		}
		ranks.AddBlock(block, found.Object(field), len(list))
	}
	each("related_questions", earshot.BlockQuestions, func(o loosejson.Object) {
		source := o.Object("source")
		o = maps.Clone(o)
		o["link"], o["source_title"] = source["url"], source["title"]
		page.AddQuestion(o)
	})
	each("local_pack", earshot.BlockPlaces, page.AddPlace)
	each("top_stories", earshot.BlockTopStories, page.AddTopStory)
	each("videos", earshot.BlockVideos, page.AddVideo)
	related := found.Object("related_searches")
	queries := related.Texts("related_searches", "query")
	for _, query := range queries {
		page.AddRelated(query, "")
	}
	ranks.AddBlock(earshot.BlockRelated, related, len(queries))
	page.AddLayout(ranks)
	panel := found.Object("knowledge")
	var facts []earshot.KnowledgeAttribute
	for _, fact := range panel.Objects("factoids") {
		facts = append(facts, earshot.KnowledgeAttribute{Name: fact.Text("title"), Value: fact.Text("content")})
	}
	page.SetPanel(panel, facts)
}

// withBlock copies an ad with its place: above or below the first organic result.
func withBlock(ad loosejson.Object, organic []loosejson.Object) loosejson.Object {
	ad = maps.Clone(ad)
	if len(organic) > 0 {
		first, rank := organic[0].Count("pos_overall"), ad.Count("pos_overall")
		if first != nil && rank != nil && *rank > *first {
			ad["block"] = "bottom"
		}
	}
	return ad
}

// readOverview reads the AI overview. It returns nil if there is no text.
func readOverview(overviews []loosejson.Object) *earshot.Answer {
	var paragraphs []string
	var sources answer.Sources
	for _, overview := range overviews {
		for _, paragraph := range overview.Objects("answer_text") {
			if text := strings.Join(paragraph.Texts("fragments", "text"), " "); text != "" {
				paragraphs = append(paragraphs, text)
			}
		}
		via.AddSources(&sources, items(overview, "source_panel"))
	}
	if len(paragraphs) == 0 {
		return nil
	}
	a := &earshot.Answer{}
	via.SetText(a, strings.Join(paragraphs, "\n\n"), "")
	sources.Fill(a)
	return a
}

// readNews reads the result pages of a news search.
func readNews(list []loosejson.Object, q *provider.Question) *earshot.NewsSearch {
	news := &earshot.NewsSearch{}
	for _, result := range list {
		found, number := blocks(result, q)
		for _, field := range []string{"main", "additional", "organic"} {
			for _, o := range found.Objects(field) {
				o = maps.Clone(o)
				o["date"] = cmp.Or(o.Text("date"), o.Text("relative_publish_date"))
				via.AddNews(news, o, number)
			}
		}
	}
	return news
}
