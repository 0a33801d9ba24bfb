package serpapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// reader collects the result pages of a search.
type reader struct {
	via.Page
	q     *provider.Question
	reply *provider.Reply
}

func newReader(q *provider.Question) reader {
	r := reader{Page: via.NewPage(q.Locale.Country), q: q, reply: &provider.Reply{Located: true}}
	if q.Provider == "websearch" {
		r.reply.Web = r.WebSearch
	} else {
		r.reply.News = &earshot.NewsSearch{}
	}
	return r
}

// overview reads the AI overview of the first page. Where the page only has a token for
// the overview, it is a search of its own.
func (r reader) overview(ctx context.Context, up *upstream.Session, o loosejson.Object) error {
	if token := o.Text("page_token"); token != "" && len(o.Objects("text_blocks")) == 0 {
		values := url.Values{"engine": {"google_ai_overview"}, "page_token": {token}, "no_cache": {"true"}}
		found, _, err := search(ctx, up, values, &upstream.Parts{Overviews: 1}, func(found loosejson.Object) (loosejson.Object, upstream.Verdict) {
			return found.Object("ai_overview"), upstream.Verdict{}
		})
		failure, failed := errors.AsType[*upstream.Failure](err)
		switch {
		case failed && failure.Reason != earshot.ReasonBlocked && (failure.Final || failure.Status == 0 && !failure.Refused):
			return nil // the token is no longer valid, or the engine shows no overview
		case err != nil:
			return err
		}
		o = found
	}
	if overview := readAnswer(o, r.q); overview.Text != "" {
		r.SearchOverview = overview
	}
	return nil
}

// page adds a result page. SerpApi lists what a page has by kind, without their order.
func (r reader) page(found loosejson.Object, number int) {
	if r.reply.News != nil {
		via.Each(found, "news_results", func(o loosejson.Object) { via.AddNews(r.reply.News, o, number) })
		return
	}
	via.Each(found, "organic_results", func(o loosejson.Object) { r.AddOrganic(o, number) })
	via.Each(found, "related_questions", r.addQuestion)
	via.Each(found, "related_searches", func(o loosejson.Object) { r.AddRelated(o.Text("query"), via.Link(o, "link")) })
	via.Each(found, "ads", func(o loosejson.Object) { r.AddAd(o, "text") })
	via.Each(found, "shopping_results", func(o loosejson.Object) { r.AddAd(o, "shopping") })
	r.AddProducts("", found.Objects("immersive_products"))
	for _, o := range places(found) {
		r.AddPlace(o)
	}
	via.Each(found, "inline_videos", r.AddVideo)
	via.Each(found, "short_videos", r.AddVideo)
	via.Each(found, "inline_images", r.AddImage)
	via.Each(found, "top_stories", r.AddTopStory)
	via.Each(found, "discussions_and_forums", r.AddDiscussion)
	via.Each(found, "perspectives", r.AddPost)
	via.Each(found.Object("twitter_results"), "tweets", r.AddPost)
	via.Each(found, "recipes_results", r.AddRecipe)
	via.Each(found, "events_results", r.AddEvent)
	via.Each(found, "jobs_results", r.AddJob)
	if r.KnowledgeGraph == nil {
		panel := maps.Clone(found.Object("knowledge_graph"))
		if images := panel.Objects("header_images"); len(images) > 0 && panel.Text("image") == "" {
			panel["image"] = images[0]["image"]
		}
		r.SetPanel(panel, facts(panel))
	}
	r.setAnswerBox(found.Object("answer_box"))
}

// places returns local results, which are a list or an object with one.
func places(found loosejson.Object) []loosejson.Object {
	if list := found.Objects("local_results"); list != nil {
		return list
	}
	return found.Object("local_results").Objects("places")
}

// addQuestion adds a question, which a page or an AI overview answers.
func (r reader) addQuestion(o loosejson.Object) {
	question := maps.Clone(o)
	question["answer_title"] = o["title"]
	if items := o.Texts("list", "snippet"); o.Text("snippet") == "" && len(items) > 0 {
		question["snippet"] = strings.Join(items, "\n")
	}
	if o.Objects("text_blocks") != nil {
		question["type"] = "AI_OVERVIEW"
		if r.q.QuestionOverviews {
			question["markdown"] = readAnswer(o, r.q).Markdown
		} else {
			delete(question, "references")
		}
	}
	r.AddQuestion(question)
}

// boxTypes are the kinds of answer boxes by SerpApi's types.
var boxTypes = map[string]string{
	"calculator_result": "calculator", "weather_result": "weather", "dictionary_results": "definition", "currency_converter": "conversion", "unit_converter": "conversion",
	"sports_results": "sports", "finance_results": "finance",
}

// setAnswerBox reads the box above the results: a page that is quoted, or the engine's own answer.
func (r reader) setAnswerBox(o loosejson.Object) {
	text := cmp.Or(via.Multiline(o, "answer", "result"), via.Multiline(o, "snippet"), strings.Join(o.Texts("definitions", "definition"), "\n"))
	items := o.Texts("list", "snippet")
	if o.Text("type") == "organic_result" {
		_, table := o["table"].([]any)
		if r.FeaturedSnippet == nil {
			r.SetSnippet(o, text, items, table)
		}
		return
	}
	if text != "" && r.AnswerBox == nil {
		r.AnswerBox = &earshot.AnswerBox{Type: cmp.Or(boxTypes[o.Text("type")], "other"), Text: text, Title: o.Text("title"), Link: via.Link(o, "link")}
	}
}

// panelFields are the fields of a knowledge panel that are not facts.
var panelFields = []string{"title", "type", "entity_type", "description", "website", "image", "kgmid", "knowledge_graph_search_link", "serpapi_knowledge_graph_search_link", "place_id"}

// facts returns the fields of a knowledge panel that are plain texts. SerpApi makes their
// names from the headings in the panel.
func facts(panel loosejson.Object) (attributes []earshot.KnowledgeAttribute) {
	for _, name := range slices.Sorted(maps.Keys(panel)) {
		value := panel.Amount(name)
		if value == "" || slices.Contains(panelFields, name) || strings.HasSuffix(name, "_link") || strings.HasSuffix(name, "_stick") || strings.HasSuffix(name, "_source") {
			continue
		}
		attributes = append(attributes, earshot.KnowledgeAttribute{Name: strings.ReplaceAll(name, "_", " "), Value: value})
	}
	return attributes
}
