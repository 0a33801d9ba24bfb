package oxylabs

import (
	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
)

// readAnswer reads the answer of an assistant.
func readAnswer(content loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{}
	via.SetText(a, via.Multiline(content, "response_text"), via.Multiline(content, "markdown_text", "answer_results_md"))
	a.Model = answer.ModelName(content.Text("llm_model", "model"))
	readSources(a, content)
	for _, field := range []string{"search_queries", "web_search_queries"} {
		a.SearchQueries = answer.AddQueries(a.SearchQueries, content.Texts(field, "query")...)
	}
	a.RelatedQueries = answer.AddQueries(nil, content.Texts("related_queries", "query")...)
	things := answer.Things{Country: q.Locale.Country, Own: via.OwnSources()}
	more := content.Object("additional_results")
	a.Images = images(more.Objects("images_results"), "image_url")
	if len(a.Images) == 0 {
		a.Images = images(content.Objects("top_images"), "url")
	}
	for _, o := range more.Objects("videos_results") {
		a.Videos = things.AddVideo(a.Videos, o)
	}
	for _, field := range []string{"places_results", "hotels_results"} {
		for _, o := range more.Objects(field) {
			a.Places = things.AddPlace(a.Places, via.PlaceFields(o))
		}
	}
	if products := via.Products(things, more.Objects("shopping_results")); products != nil {
		a.ShoppingCards = []earshot.ShoppingCard{{Products: products}}
	}
	a.InlineProducts = via.Products(things, content.Objects("inline_products"))
	answer.NumberProducts(a)
	return a
}

// readSources reads sources and pills. The text of a citation is the passage of the answer
// that it supports, except for Gemini, whose citations have a title. Citations of one
// passage are one chip.
func readSources(a *earshot.Answer, content loosejson.Object) {
	var sources answer.Sources
	for _, o := range content.Objects("links") {
		if source, ok := via.Source(o); ok {
			source.Label = o.Text("title", "text")
			sources.Add(source)
		}
	}
	via.AddSources(&sources, content.Objects("top_sources"))
	via.AddSources(&sources, content.Object("additional_results").Objects("sources_results"))
	var chip []answer.Citation
	passage := ""
	for _, o := range content.Objects("citations") {
		source, ok := via.Source(o)
		if !ok {
			continue
		}
		if text := o.Text("text"); text != passage || text == "" {
			sources.Chip(chip)
			chip, passage = nil, text
		}
		chip = append(chip, answer.Citation{Source: source, Label: source.Label})
	}
	sources.Chip(chip)
	sources.Fill(a)
}

// images returns the addresses of images.
func images(list []loosejson.Object, field string) (links []string) {
	for _, o := range list {
		if link := via.Link(o, field); link != "" {
			links = append(links, link)
		}
	}
	return links
}
