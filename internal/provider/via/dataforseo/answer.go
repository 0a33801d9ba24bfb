package dataforseo

import (
	"cmp"
	"maps"
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/provider/webtext"
)

// heldImage matches a Markdown image without a web address, such as one in base64.
var heldImage = regexp.MustCompile(`!\[[^\]]*\]\((?:<[^>]*>|data:[^)]*)\)\s*`)

// markdown returns the Markdown of a whole answer, or of its elements.
func markdown(o loosejson.Object) string {
	whole := via.Multiline(o, "markdown")
	if whole == "" {
		var parts []string
		for _, element := range o.Objects("items") {
			if part := via.Multiline(element, "markdown", "text"); part != "" {
				parts = append(parts, part)
			}
		}
		whole = strings.Join(parts, "\n\n")
	}
	return heldImage.ReplaceAllString(whole, "")
}

// source returns the source that an object describes. Its text is an excerpt of the page.
func source(o loosejson.Object) (earshot.Source, bool) {
	found, ok := via.Source(o)
	found.Description = cmp.Or(found.Description, webtext.Clean(o.Text("text")))
	return found, ok
}

// setCited fills the text, sources and pills of an answer. The whole answer lists its
// sources in the field; so does each element. The elements' sources are chips unless the
// text has citation marks.
func setCited(a *earshot.Answer, o loosejson.Object, field string) {
	var sources answer.Sources
	for _, item := range o.Objects(field) {
		if found, ok := source(item); ok {
			sources.Add(found)
		}
	}
	cited := via.SetCited(a, markdown(o), &sources)
	for _, element := range elements(o) {
		var chip []answer.Citation
		for _, item := range element.Objects(field) {
			if found, ok := source(item); ok {
				chip = append(chip, answer.Citation{Source: found})
			}
		}
		if !cited {
			sources.Chip(chip)
			continue
		}
		for _, c := range chip {
			sources.Add(c.Source)
		}
	}
	sources.Fill(a)
}

// elements returns the elements of an answer, each followed by its components.
func elements(o loosejson.Object) (list []loosejson.Object) {
	for _, element := range o.Objects("items") {
		list = append(list, element)
		list = append(list, element.Objects("components")...)
	}
	return list
}

// readScraped reads an answer from the page of an assistant. Pages that the
// assistant found but did not cite are left out.
func readScraped(result loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{Model: answer.ModelName(result.Text("model"))}
	setCited(a, result, "sources")
	a.SearchQueries = answer.AddQueries(nil, result.Texts("fan_out_queries", "query")...)
	for _, o := range via.Some(result, "brand_entities") {
		a.Entities = answer.AddEntity(a.Entities, o.Text("title"), o.Text("category"))
	}
	addThings(a, result, q)
	return a
}

// firstOverview returns the AI answer of a result page, or nil.
func firstOverview(result loosejson.Object) loosejson.Object {
	for _, o := range result.Objects("items") {
		if o.Text("type") == "ai_overview" && markdown(o) != "" {
			return o
		}
	}
	return nil
}

// readOverview reads an AI overview or an answer of AI mode.
func readOverview(o loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{}
	setCited(a, o, "references")
	addThings(a, o, q)
	return a
}

// addThings adds what an answer shows besides its text.
func addThings(a *earshot.Answer, o loosejson.Object, q *provider.Question) {
	things := answer.Things{Country: q.Locale.Country, Own: via.OwnSources()}
	for _, element := range elements(o) {
		for _, image := range element.Objects("images") {
			addImage(a, image)
		}
		list := element.Objects("items")
		switch kind(element) {
		case "products", "shopping":
			if products := via.Products(things, list); products != nil {
				a.ShoppingCards = append(a.ShoppingCards, earshot.ShoppingCard{Title: element.Text("title"), Products: products})
			}
		case "local_businesses":
			for _, item := range list {
				a.Places = things.AddPlace(a.Places, via.PlaceFields(untyped(item)))
			}
		case "images":
			for _, item := range list {
				addImage(a, item)
			}
		case "video":
			if len(a.Videos) >= via.MaxItems {
				continue
			}
			a.Videos = things.AddVideo(a.Videos, via.VideoFields(element))
		case "ad", "paid":
			for _, item := range append(list, element) {
				if link := via.Link(item, "url", "link"); link != "" {
					a.Ads = append(a.Ads, earshot.Ad{
						Position: len(a.Ads) + 1, Block: "answer", Type: "text", Title: item.Text("title"), Description: item.Text("description", "text"),
						URL: link, Domain: webtext.Domain(link), Brand: item.Text("brand", "source"), ImageURL: via.Link(item, "image_url"),
					})
				}
			}
		}
	}
	answer.NumberProducts(a)
}

func addImage(a *earshot.Answer, o loosejson.Object) {
	if link := via.Link(o, "image_url"); link != "" && len(a.Images) < via.MaxItems {
		a.Images = answer.AddNew(a.Images, link)
	}
}

// kind returns the type of an element without the name of what it is part of:
// chat_gpt_products and ai_overview_video_element are products and video.
func kind(o loosejson.Object) string {
	name := strings.TrimSuffix(o.Text("type"), "_element")
	for _, prefix := range []string{"chat_gpt_", "gemini_", "ai_overview_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// untyped copies an object without its type, which is not the category of what it describes.
func untyped(o loosejson.Object) loosejson.Object {
	o = maps.Clone(o)
	delete(o, "type")
	return o
}

// readResponse reads an answer that a model gave through its official API.
func readResponse(result loosejson.Object) *earshot.Answer {
	a := &earshot.Answer{Surface: earshot.SurfaceAPI, Model: answer.ModelName(result.Text("model_name"))}
	var text []string
	var sources answer.Sources
	for _, item := range result.Objects("items") {
		if item.Text("type") == "reasoning" {
			continue
		}
		for _, section := range item.Objects("sections") {
			text = append(text, via.Multiline(section, "text"))
			for _, o := range section.Objects("annotations") {
				if found, ok := source(o); ok {
					sources.Add(found)
				}
			}
		}
	}
	via.SetText(a, "", strings.Join(text, "\n\n"))
	a.SearchQueries = answer.AddQueries(nil, result.Texts("fan_out_queries", "query")...)
	sources.Fill(a)
	return a
}
