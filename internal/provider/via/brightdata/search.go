package brightdata

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// searchPages fetches the result pages one after the other, until a page without results.
func searchPages(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	zone := up.Option(optionZone)
	if zone == "" {
		return nil, vendorapi.Blocked("via:brightdata needs the option %s, the name of a SERP zone, for result pages", optionZone)
	}
	found := newResults(q)
	for number := 1; number <= max(1, q.Pages); number++ {
		request, err := via.Request(up, "/request", map[string]any{"zone": zone, "url": address(q, number), "method": "GET", "format": "raw"})
		if err != nil {
			return nil, err
		}
		request.Refusal, request.Buys = refusal, provider.PageParts(number)
		page, document, err := via.Buy(ctx, up, request, func(document any) (loosejson.Object, upstream.Verdict) {
			return judgePage(loosejson.AsObject(document), q, number)
		})
		if err != nil {
			return nil, err
		}
		found.reply.Document = document
		if !found.read(page, number) {
			break
		}
	}
	return found.reply, nil
}

// judgePage returns the verdict about a result page. Bright Data charges for all pages.
func judgePage(page loosejson.Object, q *provider.Question, number int) (loosejson.Object, upstream.Verdict) {
	general := page.Object("general")
	if general == nil {
		return nil, via.Failed(nil, via.Unreadable("Bright Data's result page has no general part"))
	}
	wanted := q.Device != "" && q.Device != earshot.Desktop
	if mobile := general.Flag("mobile"); mobile != nil && *mobile != wanted {
		return nil, via.Failed(nil, via.Unreadable("Bright Data delivered the page of another device"))
	}
	if number > 1 {
		return page, upstream.Verdict{}
	}
	first := newResults(q)
	first.read(page, number)
	_, verdict := via.Checked(first.reply, q, nil)
	return page, verdict
}

// devices are the values of brd_mobile.
var devices = map[earshot.Device]string{earshot.Mobile: "1", earshot.Android: "android", earshot.IOS: "ios"}

// address returns the address of a result page, with the parameters that ask Bright Data
// to return it as data.
func address(q *provider.Question, number int) string {
	query := via.SearchQuery(q, number)
	query.Set("brd_json", "1")
	if device := devices[q.Device]; device != "" {
		query.Set("brd_mobile", device)
	}
	if q.Overview && number == 1 {
		query.Set("brd_ai_overview", "2")
	}
	return "https://www.google.com/search?" + query.Encode()
}

// results collects what the result pages of a search hold.
type results struct {
	q     *provider.Question
	page  via.Page
	reply *provider.Reply
}

func newResults(q *provider.Question) *results {
	r := &results{q: q, page: via.NewPage(q.Locale.Country), reply: &provider.Reply{}}
	if q.Provider == "websearch/news" {
		r.reply.News = &earshot.NewsSearch{}
	} else {
		r.reply.Web = r.page.WebSearch
	}
	return r
}

// read reads a result page and reports whether it has results, so that another page may
// follow.
func (r *results) read(page loosejson.Object, number int) (more bool) {
	if name := geo.Name(r.q.Locale.Country); number == 1 && name != "" {
		r.reply.Located = strings.HasSuffix(page.Object("general").Text("location"), name)
	}
	if r.reply.News != nil {
		before := len(r.reply.News.NewsResults)
		via.Each(page, "news", func(o loosejson.Object) { via.AddNews(r.reply.News, o, number) })
		return len(r.reply.News.NewsResults) > before
	}
	return r.readWeb(page, number)
}

// readWeb reads the blocks of a result page.
func (r *results) readWeb(page loosejson.Object, number int) (more bool) {
	ranks := via.Ranks{Field: "global_rank"}
	before := len(r.page.OrganicResults)
	each := func(field string, block earshot.BlockType, add func(loosejson.Object)) {
		for _, o := range page.Objects(field) {
			add(o)
			ranks.AddBlock(block, o, max(1, len(o.Objects("items"))))
		}
	}
	each("organic", earshot.BlockOrganic, func(o loosejson.Object) { r.page.AddOrganic(o, number) })
	for _, position := range []string{"top", "bottom"} {
		each(position+"_ads", earshot.BlockAds, func(o loosejson.Object) {
			o = maps.Clone(o)
			o["block"] = position
			r.page.AddAd(o, "text")
		})
	}
	each("people_also_ask", earshot.BlockQuestions, r.addQuestion)
	each("related", earshot.BlockRelated, r.addRelated)
	each("videos", earshot.BlockVideos, r.page.AddVideo)
	each("images", earshot.BlockImages, r.page.AddImage)
	each("snack_pack", earshot.BlockPlaces, r.page.AddPlace)
	each("top_stories", earshot.BlockTopStories, r.page.AddTopStory)
	each("perspectives", earshot.BlockPosts, r.addPost)
	r.page.AddLayout(ranks)
	if panel := page.Object("knowledge"); panel != nil {
		var facts []earshot.KnowledgeAttribute
		for _, fact := range panel.Objects("facts") {
			facts = append(facts, earshot.KnowledgeAttribute{Name: fact.Text("key"), Value: cmp.Or(fact.Text("value"), strings.Join(fact.Texts("value", "text"), ", "))})
		}
		r.page.SetPanel(panel, facts)
	}
	if overview := page.Object("ai_overview"); overview != nil {
		r.page.SearchOverview = readOverview(overview)
	}
	return len(r.page.OrganicResults) > before
}

// addQuestion adds a question; its answer is a list of passages.
func (r *results) addQuestion(o loosejson.Object) {
	var passages []string
	for _, passage := range o.Objects("answers") {
		if text := passage.Object("value").Text("text"); text != "" {
			passages = append(passages, text)
		}
	}
	o = maps.Clone(o)
	o["answer"] = strings.Join(passages, "\n")
	r.page.AddQuestion(o)
}

// addRelated adds a related search, or a group of them.
func (r *results) addRelated(o loosejson.Object) {
	for _, item := range append([]loosejson.Object{o}, o.Objects("items")...) {
		if link := via.Link(item, "link"); link != "" {
			r.page.AddRelated(item.Text("text"), link)
		}
	}
}

// addPost adds a post of a social network. Its source is "network · age".
func (r *results) addPost(o loosejson.Object) {
	link := via.Link(o, "link")
	if link == "" {
		return
	}
	network, age, _ := strings.Cut(o.Text("source"), " · ")
	r.page.Posts = append(r.page.Posts, earshot.SearchPost{
		Position: len(r.page.Posts) + 1, Platform: cmp.Or(strings.TrimSuffix(network, " (Twitter)"), webtext.Domain(link)), Author: o.Text("author"),
		Title: o.Text("title"), Text: webtext.Clean(via.Multiline(o, "text")), Link: link, Date: cmp.Or(age, o.Text("date")),
	})
}

// readOverview reads the AI overview, a tree of texts. It returns nil if there is no text.
func readOverview(overview loosejson.Object) *earshot.Answer {
	var markdown strings.Builder
	writeTexts(&markdown, overview.Objects("texts"), "")
	if markdown.Len() == 0 {
		return nil
	}
	a := &earshot.Answer{}
	via.SetText(a, "", markdown.String())
	var sources answer.Sources
	for _, o := range overview.Objects("references") {
		if source, ok := via.Source(o); ok {
			source.Label = strings.TrimSpace(strings.TrimSuffix(source.Label, "Opens in new tab."))
			sources.Add(source)
		}
	}
	sources.Fill(a)
	return a
}

// maxDepth limits how deep lists of an overview may be nested.
const maxDepth = 8

// writeTexts writes a tree of texts as Markdown: texts are paragraphs, lists are lists.
func writeTexts(out *strings.Builder, nodes []loosejson.Object, indent string) {
	for _, node := range nodes {
		if text := mdtext.Escape(node.Text("snippet", "text", "title")); text != "" {
			if indent == "" {
				out.WriteString(text + "\n\n")
			} else {
				out.WriteString(indent[2:] + "- " + text + "\n")
			}
		}
		if len(indent) < 2*maxDepth {
			writeTexts(out, node.Objects("texts"), indent)
			writeTexts(out, node.Objects("list"), indent+"  ")
			if node["list"] != nil && indent == "" {
				out.WriteString("\n")
			}
		}
	}
}
