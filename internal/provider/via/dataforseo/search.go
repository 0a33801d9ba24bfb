package dataforseo

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
)

// blocks are the kinds of blocks by the vendor's types of items.
var blocks = map[string]earshot.BlockType{
	"organic": earshot.BlockOrganic, "paid": earshot.BlockAds, "shopping": earshot.BlockShoppingAds, "ai_overview": earshot.BlockOverview,
	"featured_snippet": earshot.BlockFeaturedSnippet, "people_also_ask": earshot.BlockQuestions, "top_stories": earshot.BlockTopStories,
	"images": earshot.BlockImages, "video": earshot.BlockVideos, "short_videos": earshot.BlockShortVideos, "local_pack": earshot.BlockPlaces,
	"hotels_pack": earshot.BlockHotels, "popular_products": earshot.BlockProducts, "twitter": earshot.BlockPosts, "perspectives": earshot.BlockPosts,
	"discussions_and_forums": earshot.BlockDiscussions, "carousel": earshot.BlockCarousel, "multi_carousel": earshot.BlockCarousel,
	"recipes": earshot.BlockRecipes, "events": earshot.BlockEvents, "jobs": earshot.BlockJobs, "answer_box": earshot.BlockAnswerBox,
	"knowledge_graph": earshot.BlockKnowledgeGraph, "related_searches": earshot.BlockRelated, "people_also_search": earshot.BlockRelated,
}

// inOrder returns the items of all pages from top to bottom.
func inOrder(result loosejson.Object) []loosejson.Object {
	items := result.Objects("items")
	slices.SortStableFunc(items, func(a, b loosejson.Object) int {
		return cmp.Or(cmp.Compare(pageOf(a), pageOf(b)), cmp.Compare(a.Int("rank_absolute"), b.Int("rank_absolute")))
	})
	return items
}

func pageOf(o loosejson.Object) int { return max(1, o.Int("page")) }

// readWeb reads the result pages of a web search.
func readWeb(result loosejson.Object, q *provider.Question) *earshot.WebSearch {
	page := reader{via.NewPage(q.Locale.Country), q, "https://www." + cmp.Or(result.Text("se_domain"), "google.com") + "/search?q="}
	items := inOrder(result)
	last := -1 // the last organic result
	for i, o := range items {
		if o.Text("type") == "organic" {
			last = i
		}
	}
	for i, o := range items {
		name := o.Text("type")
		title, n := o.Text("title"), 1
		block, known := blocks[name]
		if !known {
			block, title = earshot.BlockUnknown, cmp.Or(title, name)
		}
		if list, isList := o["items"].([]any); isList && block != earshot.BlockOverview && block != earshot.BlockKnowledgeGraph {
			n = max(1, len(list))
		}
		page.AddBlock(block, title, n)
		page.read(name, o, adBlock(o, i, last, len(page.OrganicResults)))
	}
	return page.WebSearch
}

// adBlock returns where an ad is shown, from its place among the organic results.
func adBlock(o loosejson.Object, i, last, before int) string {
	switch {
	case o.Text("position") == "right":
		return "side"
	case before == 0:
		return "top"
	case i > last:
		return "bottom"
	}
	return "middle"
}

type reader struct {
	via.Page
	q      *provider.Question
	search string // the address of a search, up to its query
}

// adders add the items in the lists of some types.
var adders = map[string]func(via.Page, loosejson.Object){
	"top_stories": via.Page.AddTopStory, "images": via.Page.AddImage, "video": via.Page.AddVideo, "short_videos": via.Page.AddVideo,
	"twitter": via.Page.AddPost, "perspectives": via.Page.AddPost, "discussions_and_forums": via.Page.AddDiscussion,
	"recipes": via.Page.AddRecipe, "events": via.Page.AddEvent, "jobs": via.Page.AddJob,
	"hotels_pack": func(p via.Page, o loosejson.Object) { p.AddPlace(untyped(o)) },
	"multi_carousel": func(p via.Page, o loosejson.Object) {
		p.AddCarousel(o.Text("title"), o.Objects("multi_carousel_snippets"))
	},
}

// read adds an item of the page. Items of other types are only part of the layout.
func (r reader) read(name string, o loosejson.Object, block string) {
	if add := adders[name]; add != nil {
		via.Each(o, "items", func(item loosejson.Object) { add(r.Page, item) })
	}
	switch name {
	case "organic":
		r.AddOrganic(o, pageOf(o))
	case "paid":
		r.addAd(o, "text", block)
	case "shopping":
		via.Each(o, "items", func(item loosejson.Object) { r.addAd(item, "shopping", block) })
	case "ai_overview":
		if r.SearchOverview == nil && markdown(o) != "" {
			r.SearchOverview = readOverview(o, r.q)
		}
	case "featured_snippet":
		if r.FeaturedSnippet == nil {
			r.SetSnippet(o, via.Multiline(o, "description"), nil, o.Object("table") != nil)
		}
	case "people_also_ask":
		via.Each(o, "items", r.addQuestion)
	case "related_searches", "people_also_search":
		for _, query := range o.Texts("items", "title") {
			r.AddRelated(query, r.search+url.QueryEscape(query))
		}
	case "local_pack":
		r.AddPlace(untyped(o))
	case "popular_products":
		r.AddProducts(o.Text("title"), o.Objects("items"))
	case "carousel":
		r.AddCarousel(o.Text("title"), o.Objects("items"))
	case "answer_box":
		if text := strings.Join(o.Texts("text", ""), "\n"); text != "" && r.AnswerBox == nil {
			r.AnswerBox = &earshot.AnswerBox{Type: "other", Text: text, Title: o.Text("title")}
		}
	case "knowledge_graph":
		if r.KnowledgeGraph == nil {
			r.SetPanel(withSource(o), facts(o))
		}
	}
}

func (r reader) addAd(o loosejson.Object, kind, block string) {
	o = maps.Clone(o)
	o["block"] = block
	if links := o.Objects("links"); len(links) > 0 {
		o["sitelinks"] = o["links"]
	}
	for _, image := range o.Objects("images") {
		if o["image_url"] == nil {
			o["image_url"] = image["image_url"]
		}
	}
	r.AddAd(o, kind)
}

// addQuestion adds a question with its answer, which is a page or an AI overview.
func (r reader) addQuestion(o loosejson.Object) {
	question := loosejson.Object{"question": o["title"]}
	for _, expanded := range o.Objects("expanded_element") {
		if expanded.Text("type") != "people_also_ask_ai_overview_expanded_element" {
			question["answer"], question["answer_title"], question["url"] = expanded["description"], expanded["title"], expanded["url"]
			continue
		}
		question["type"] = "AI_OVERVIEW"
		if r.q.QuestionOverviews {
			question["markdown"], question["references"] = markdown(expanded), expanded["references"]
		}
	}
	r.AddQuestion(question)
}

// facts returns the rows of a knowledge panel.
func facts(o loosejson.Object) (attributes []earshot.KnowledgeAttribute) {
	for _, item := range o.Objects("items") {
		if name, value := item.Text("title"), item.Text("text"); item.Text("type") == "knowledge_graph_row_item" && name != "" && value != "" {
			attributes = append(attributes, earshot.KnowledgeAttribute{Name: name, Value: value})
		}
	}
	return attributes
}

// withSource copies a knowledge panel with the page that its description is from.
func withSource(o loosejson.Object) loosejson.Object {
	o = untyped(o)
	for _, item := range o.Objects("items") {
		if links := item.Objects("links"); item.Text("type") == "knowledge_graph_description_item" && len(links) > 0 {
			o["source"] = loosejson.Object{"name": links[0]["title"], "url": links[0]["url"]}
		}
	}
	return o
}

// readNews reads the result pages of a news search. Groups of articles among the results
// are results, too.
func readNews(result loosejson.Object) *earshot.NewsSearch {
	news := &earshot.NewsSearch{}
	for _, o := range inOrder(result) {
		switch o.Text("type") {
		case "news_search":
			via.AddNews(news, o, pageOf(o))
		case "top_stories":
			via.Each(o, "items", func(item loosejson.Object) { via.AddNews(news, item, pageOf(o)) })
		}
	}
	return news
}
