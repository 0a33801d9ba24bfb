package socialassistant

import (
	"cmp"
	"net/url"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

// answer returns the answer that the response contains.
func (s *streamed) answer(want answer.Options) *earshot.Answer {
	r := &reader{
		answer: &earshot.Answer{Model: answer.ModelName(cmp.Or(s.response.Text("model"), s.response.Object("requestMetadata").Text("model")))},
		cards:  cardsByID(s.cards),
		known:  map[string]answer.Citation{},
	}
	r.indexPages(s)
	r.text(cmp.Or(loosejson.AsText(s.response["message"]), s.text.String()), want.Markdown)
	r.addUncited(s)
	r.answer.SearchQueries = s.queries()
	r.answer.RelatedQueries = answer.AddNew(nil, s.related...)
	for _, link := range stringsIn(s.response["generatedImageUrls"]) {
		r.addImage(link)
	}
	r.addGenerated(s.cards)
	things := answer.Things{Country: want.Country, Own: ownSources}
	if products := things.Products(s.response.Objects("searchProductResults")); len(products) > 0 {
		r.answer.ShoppingCards = []earshot.ShoppingCard{{Products: products}}
		answer.NumberProducts(r.answer)
	}
	r.sources.Fill(r.answer)
	return r.answer
}

// reader collects an answer from a response.
type reader struct {
	answer  *earshot.Answer
	cards   map[string]loosejson.Object
	known   map[string]answer.Citation // details of pages, by pageKey
	sources answer.Sources
}

// text reads the response's text and replaces its marks.
func (r *reader) text(markdown string, wantMarkdown bool) {
	written := mdtext.Rewrite(markdown, markStarts, r.replaceMark)
	for _, link := range mdtext.ProseLinks(written.Text) {
		if target, ok := webtext.Destination(link.URL, nil, ownSources); ok {
			page := r.page(target).Source
			page.Label = cmp.Or(page.Label, mdtext.Flatten(link.Label))
			r.sources.Add(page)
		}
	}
	written.Fill(r.answer, wantMarkdown)
}

// assets is the base URL of generated images, which the response names by path.
var assets = &url.URL{Scheme: "https", Host: "assets.grok.com", Path: "/"}

func (r *reader) addImage(link string) {
	if target, ok := webtext.Destination(link, assets, ownSources); ok {
		r.answer.Images = answer.AddNew(r.answer.Images, target)
	}
}
