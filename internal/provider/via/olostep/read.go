package olostep

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// read reads a retrieved document, whose json_content is JSON in a string. Olostep does not say
// that failures are free.
func read(document loosejson.Object, q *provider.Question) (*provider.Reply, upstream.Verdict) {
	switch {
	case document["json_content"] != nil || document["result"] != nil:
	case document["items"] != nil:
		return nil, via.Failed(nil, upstream.Fail(earshot.ReasonUnavailable, "Olostep failed to read the page"))
	case document["status"] != nil:
		return nil, via.Failed(nil, upstream.Fail(earshot.ReasonUnavailable, "Olostep's batch has the status %s", document.Text("status")))
	}
	content := cmp.Or(via.Multiline(document, "json_content"), via.Multiline(document.Object("result"), "json_content"))
	value, _ := loosejson.Decode(content)
	page := loosejson.AsObject(value)
	if page == nil {
		return nil, via.Failed(nil, via.Unreadable("Olostep's document has no JSON"))
	}
	reply := &provider.Reply{Document: []byte(content), Located: true}
	if country := page.Text("country"); country != "" && !strings.EqualFold(country, q.Locale.Country) {
		reply.Located = false
	}
	_, isText := page["answer_markdown"].(string)
	switch {
	case q.IsSearch() && page.Object("searchParameters") == nil && page["organic"] == nil:
		return nil, via.Failed(nil, via.Unreadable("Olostep's document is no result page"))
	case q.IsSearch():
		reply.Web = readWeb(page, q)
	case !isText:
		return nil, via.Failed(nil, via.Unreadable("Olostep's document has no answer"))
	default:
		reply.Answer = readAnswer(page, q)
	}
	return via.Checked(reply, q, nil)
}

// readAnswer reads the answer of an assistant.
func readAnswer(page loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{}
	markdown := via.Multiline(page, "answer_markdown")
	if q.Provider == "socialassistant" {
		markdown, a.SearchQueries = cutLog(markdown)
	}
	via.SetText(a, "", markdown)
	calls := page.Object("network_search_calls")
	a.Model = answer.ModelName(cmp.Or(calls.Text("model_slug"), page.Text("model")))
	readSources(a, page, q)
	a.SearchQueries = answer.AddQueries(a.SearchQueries, calls.Texts("search_queries", "query")...)
	a.SearchQueries = answer.AddQueries(a.SearchQueries, page.Texts("search_model_queries", "query")...)
	a.RelatedQueries = answer.AddQueries(nil, page.Texts("related_queries", "query")...)
	things := answer.Things{Country: q.Locale.Country, Own: via.OwnSources()}
	for _, o := range page.Objects("videos") {
		a.Videos = things.AddVideo(a.Videos, o)
	}
	for _, field := range []string{"places", "hotels"} {
		for _, o := range page.Objects(field) {
			a.Places = things.AddPlace(a.Places, via.PlaceFields(o))
		}
	}
	for _, image := range page.Texts("images", "url") {
		if link, ok := webtext.Destination(image, nil, nil); ok {
			a.Images = append(a.Images, link)
		}
	}
	for _, card := range page.Objects("shopping_cards") {
		if products := via.Products(things, card.Objects("products")); products != nil {
			a.ShoppingCards = append(a.ShoppingCards, earshot.ShoppingCard{Title: card.Text("title"), Tags: card.Texts("tags", "name"), Products: products})
		}
	}
	answer.NumberProducts(a)
	return a
}

// readSources reads sources, posts and pills. Sources that were seen but not cited do not
// count.
func readSources(a *earshot.Answer, page loosejson.Object, q *provider.Question) {
	cited := page.Objects("sources")
	if q.Provider == "officeassistant" { // position is an offset into the text
		slices.SortStableFunc(cited, func(a, b loosejson.Object) int { return cmp.Compare(offset(a), offset(b)) })
	}
	var sources answer.Sources
	for _, o := range cited {
		source, ok := via.Source(o)
		if flag := o.Flag("cited"); !ok || flag != nil && !*flag {
			continue
		}
		source.Label = strings.TrimSuffix(source.Label, " ·")
		if q.Provider == "officeassistant" && o.Count("position") != nil {
			sources.Chip([]answer.Citation{{Source: source, Label: source.Label}})
			continue
		}
		sources.Add(source)
	}
	for _, o := range page.Objects("xposts") {
		if source, ok := post(o); ok {
			sources.Add(source)
		}
	}
	for _, o := range page.Objects("inline_references") {
		if source, ok := via.Source(o); ok {
			sources.Chip([]answer.Citation{{Source: earshot.Source{URL: source.URL}, Label: o.Text("text")}})
		}
	}
	sources.Fill(a)
}

// offset returns the place of a source in the text. Sources without one come last.
func offset(o loosejson.Object) int {
	if n := o.Count("position"); n != nil {
		return *n
	}
	return math.MaxInt
}

// post returns the source that a post on X is.
func post(o loosejson.Object) (earshot.Source, bool) {
	link := via.Link(o, "post_url")
	author := o.Text("username")
	label := o.Text("name")
	if author != "" {
		label = strings.TrimSpace(label + " (@" + author + ")")
	}
	return earshot.Source{
		URL: link, Label: label, DatePublished: o.Date("create_time"),
		Post: &earshot.Post{Author: author, Text: webtext.Clean(via.Multiline(o, "text")), Platform: "x"},
	}, link != ""
}

// logEntry matches one search in the log at the start of Grok's Markdown.
var logEntry = regexp.MustCompile(`^#{1,6}[ \t]*\n\s*[^\n]*Searched for "([^\n]*)"[ \t]*\n\s*[0-9]+ (?:posts?|results?|pages?|users?)[ \t]*(?:\n\s*|$)`)

// cutLog removes Grok's search log from the start of its Markdown and returns its queries.
func cutLog(markdown string) (rest string, queries []string) {
	for {
		found := logEntry.FindStringSubmatch(markdown)
		if found == nil {
			return markdown, queries
		}
		markdown = markdown[len(found[0]):]
		queries = answer.AddQueries(queries, webtext.Line(found[1]))
	}
}

// readWeb reads a result page.
func readWeb(found loosejson.Object, q *provider.Question) *earshot.WebSearch {
	page := via.NewPage(q.Locale.Country)
	via.Each(found, "organic", func(o loosejson.Object) { page.AddOrganic(o, 1) })
	for _, o := range found.Objects("peopleAlsoAsk") {
		o = maps.Clone(o)
		o["source_title"] = o["title"] // title is the page that answers
		page.AddQuestion(o)
	}
	for _, query := range found.Texts("relatedSearches", "query") {
		page.AddRelated(query, "")
	}
	panel := found.Object("knowledgeGraph")
	attributes := panel.Object("attributes")
	var facts []earshot.KnowledgeAttribute
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		facts = append(facts, earshot.KnowledgeAttribute{Name: name, Value: attributes.Text(name)})
	}
	page.SetPanel(panel, facts)
	return page.WebSearch
}
