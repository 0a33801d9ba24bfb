package cloro

import (
	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/provider/webtext"
)

// readAnswer reads the answer of an assistant.
func readAnswer(result loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{}
	via.SetText(a, via.Multiline(result, "text"), via.Multiline(result, "markdown"))
	a.Model = answer.ModelName(result.Text("model"))
	things := answer.Things{Country: q.Locale.Country, Own: via.OwnSources()}
	readSources(a, result)
	a.SearchQueries = answer.AddNew(nil, append(result.Texts("searchQueries", "query"), result.Texts("search_model_queries", "query")...)...)
	a.MapSearchQueries = answer.AddNew(nil, result.Texts("mapSearchQueries", "query")...)
	a.RelatedQueries = answer.AddNew(nil, append(result.Texts("relatedQueries", "query"), result.Texts("related_queries", "query")...)...)
	for _, o := range result.Objects("entities") {
		a.Entities = answer.AddEntity(a.Entities, o.Text("name"), o.Text("type"))
	}
	for _, field := range []string{"map", "places", "hotels", "localResults"} {
		for _, o := range result.Objects(field) {
			a.Places = things.AddPlace(a.Places, via.PlaceFields(o))
		}
	}
	for _, o := range result.Objects("videos") {
		a.Videos = things.AddVideo(a.Videos, o)
	}
	a.Images = result.Texts("images", "url")
	for _, field := range []string{"shoppingCards", "shopping_cards"} {
		for _, card := range result.Objects(field) {
			shown := earshot.ShoppingCard{Title: card.Text("title"), Tags: card.Texts("tags", "name"), Products: products(things, card.Objects("products"))}
			if len(shown.Products) > 0 {
				a.ShoppingCards = append(a.ShoppingCards, shown)
			}
		}
	}
	for _, o := range result.Objects("inlineProducts") {
		inner := o.Object("product")
		if inner == nil {
			inner = o
		}
		a.InlineProducts = append(a.InlineProducts, products(things, []loosejson.Object{inner})...)
	}
	answer.NumberProducts(a)
	if q.Expand {
		a.ProductResults = products(things, result.Objects("productResults"))
		for i := range a.ProductResults {
			a.ProductResults[i].Position = i + 1
		}
	}
	for _, block := range result.Objects("ads") {
		a.Ads = append(a.Ads, answerAds(block, len(a.Ads))...)
	}
	return a
}

// readSources reads sources and pills. cloro counts chips from 0 or 1 and names them by
// number; pills of one number are one chip.
func readSources(a *earshot.Answer, result loosejson.Object) {
	var sources answer.Sources
	via.AddSources(&sources, result.Objects("sources"))
	var chip []answer.Citation
	last := ""
	for _, o := range result.Objects("citationPills") {
		source, ok := via.Source(o)
		if !ok {
			continue
		}
		if id := o.Amount("citationPillId"); id != last {
			sources.Chip(chip)
			chip, last = nil, id
		}
		chip = append(chip, answer.Citation{Source: earshot.Source{URL: source.URL, Description: source.Description}, Label: source.Label})
	}
	sources.Chip(chip)
	sources.Fill(a)
}

// products reads a list of products.
func products(things answer.Things, list []loosejson.Object) []earshot.Product {
	var found []earshot.Product
	for _, o := range list {
		p, ok := things.Product(via.ProductFields(o))
		if !ok {
			continue
		}
		for i, offer := range o.Objects("offers") {
			if i < len(p.Offers) && p.Offers[i].Title == "" {
				p.Offers[i].Title = offer.Text("product_name")
			}
		}
		found = append(found, p)
	}
	return found
}

// answerAds reads one advertiser's cards in an answer. Cards that were not shown do not count.
func answerAds(block loosejson.Object, before int) (ads []earshot.Ad) {
	if shown := block.Flag("rendered"); shown != nil && !*shown {
		return nil
	}
	for _, card := range block.Objects("cards") {
		ad := earshot.Ad{
			Position: before + len(ads) + 1, Block: "answer", Type: "text", Title: card.Text("title"), Description: card.Text("body", "description"),
			URL: via.Link(card, "url", "link"), Brand: block.Object("brand").Text("name"), ImageURL: via.Link(card, "image", "imageUrl"),
		}
		if ad.URL != "" {
			ad.Domain = webtext.Domain(ad.URL)
			ads = append(ads, ad)
		}
	}
	return ads
}
