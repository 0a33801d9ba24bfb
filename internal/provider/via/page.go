package via

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// Page puts a result page together. Vendors call the same field by different names;
// its methods try all that are known, so an adapter only says which list holds what.
type Page struct {
	*earshot.WebSearch
	things answer.Things
}

// NewPage returns an empty page for a search from a country.
func NewPage(country string) Page {
	return Page{&earshot.WebSearch{}, answer.Things{Country: country, Own: ownSources}}
}

// AddOrganic appends an organic result, if it has a web address. The positions of
// results count over all pages.
func (p Page) AddOrganic(o loosejson.Object, page int) {
	link := Link(o, "link", "url")
	if link == "" {
		return
	}
	result := earshot.OrganicResult{
		Position: len(p.OrganicResults) + 1, Page: max(1, page), Title: webtext.Line(o.Text("title")), Link: link, Domain: webtext.Domain(link),
		DisplayedLink: cmp.Or(webtext.Line(o.Text("displayedLink", "displayed_link", "display_link", "breadcrumb", "url_shown")), link),
		Snippet:       webtext.Clean(o.Text("snippet", "description", "desc")), Date: o.Text("date", "pre_snippet"),
		RedirectLink: o.Text("redirectLink"), Thumbnail: Link(o, "thumbnail", "image_url"),
	}
	for _, list := range [][]loosejson.Object{
		o.Objects("sitelinks"), o.Object("sitelinks").Objects("inline"), o.Object("sitelinks").Objects("expanded"), o.Objects("links"), o.Objects("extensions"),
	} {
		for _, item := range list {
			if link := Link(item, "link", "url"); link != "" && item.Text("title", "text") != "" {
				result.Sitelinks = append(result.Sitelinks, earshot.SearchSublink{Title: webtext.Line(item.Text("title", "text")), Link: link})
			}
		}
	}
	p.OrganicResults = append(p.OrganicResults, result)
}

// AddQuestion appends a question of People Also Ask.
func (p Page) AddQuestion(o loosejson.Object) {
	question := earshot.Question{
		Question: webtext.Line(o.Text("question", "title", "seed_question")), Type: earshot.QuestionUnknown, Snippet: webtext.Clean(Multiline(o, "snippet", "answer", "description")),
		Title: webtext.Line(o.Text("answer_title", "source_title", "answer_source")), Link: Link(o, "link", "url", "answer_link"), Markdown: webtext.Clean(Multiline(o, "markdown")),
	}
	if question.Question == "" || len(p.PeopleAlsoAsk) >= MaxItems || p.hasQuestion(question.Question) {
		return
	}
	var sources answer.Sources
	AddSources(&sources, append(o.Objects("sources"), o.Objects("references")...))
	switch {
	case strings.Contains(strings.ToUpper(o.Text("type")), "OVERVIEW"), question.Markdown != "", o.Objects("text_blocks") != nil:
		question.Type = earshot.QuestionOverview
		filled := &earshot.Answer{}
		sources.Fill(filled)
		question.Sources = filled.Sources
	case question.Link != "":
		question.Type = earshot.QuestionLink
	}
	p.PeopleAlsoAsk = append(p.PeopleAlsoAsk, question)
}

// searchPage is the address of Google's result pages.
const searchPage = "https://www.google.com/search"

// AddRelated appends a related search. link is the address of its result page, or "".
func (p Page) AddRelated(query, link string) {
	if query = webtext.Line(query); query != "" && len(p.RelatedSearches) < MaxItems && !p.hasRelated(query) {
		p.RelatedSearches = append(p.RelatedSearches, earshot.RelatedSearch{Query: query, Link: cmp.Or(link, searchPage+"?q="+url.QueryEscape(query))})
	}
}

// blocks are vendors' words for where an ad is shown.
var blocks = map[string]string{"rhs": "side", "right": "side", "side": "side", "middle": "middle", "bottom": "bottom", "top": "top"}

// AddAd appends an ad, if it has a web address.
func (p Page) AddAd(o loosejson.Object, kind string) {
	link := Link(o, "link", "url")
	if link == "" {
		return
	}
	block := cmp.Or(blocks[strings.ToLower(o.Text("blockPosition", "block_position", "block"))], "top")
	ad := earshot.Ad{
		Position: len(p.Ads) + 1, Block: block, Type: kind, Title: webtext.Line(o.Text("title")), URL: link, Domain: webtext.Domain(link),
		Description: webtext.Clean(o.Text("description", "snippet", "desc", "body")), Price: p.price(o, "price", "extracted_price"), OldPrice: p.price(o, "old_price"),
		Merchant: webtext.Line(o.Text("store", "merchant", "source", "seller")), ImageURL: Link(o, "imageUrl", "image", "thumbnail", "image_url"),
	}
	for _, item := range o.Objects("sitelinks") {
		if link := Link(item, "link", "url"); link != "" {
			ad.Sitelinks = append(ad.Sitelinks, earshot.Sitelink{Title: webtext.Line(item.Text("title")), URL: link})
		}
	}
	p.Ads = append(p.Ads, ad)
}

// price reads a price that is a text, a number, or an object with its displayed form.
func (p Page) price(o loosejson.Object, fields ...string) *earshot.Price {
	for _, field := range fields {
		if text := priceText(o, field); text != "" {
			return webtext.Price(text, p.things.Country)
		}
	}
	return nil
}

// priceText returns a price as displayed, or its number after its currency.
func priceText(o loosejson.Object, field string) string {
	if inner := o.Object(field); inner != nil {
		if shown := inner.Text("raw", "displayed_price"); shown != "" {
			return shown
		}
		amount := inner.Amount("amount", "value", "current")
		if amount == "" {
			return ""
		}
		if symbol := inner.Text("currencySymbol"); symbol != "" {
			return symbol + amount
		}
		return strings.TrimSpace(inner.Text("currency") + " " + amount)
	}
	if _, isNumber := o[field].(json.Number); isNumber {
		return strings.TrimSpace(o.Text("currency") + " " + o.Amount(field))
	}
	return o.Amount(field)
}

// AddPlace appends a local result.
func (p Page) AddPlace(o loosejson.Object) { p.Places = p.things.AddPlace(p.Places, PlaceFields(o)) }

// AddVideo appends a video.
func (p Page) AddVideo(o loosejson.Object) {
	if len(p.Videos) < MaxItems {
		p.Videos = p.things.AddVideo(p.Videos, VideoFields(o))
	}
}

// AddDiscussion appends a thread in a forum.
func (p Page) AddDiscussion(o loosejson.Object) {
	if link := Link(o, "link", "url"); link != "" {
		p.Discussions = append(p.Discussions, earshot.Discussion{
			Position: len(p.Discussions) + 1, Title: webtext.Line(o.Text("title")), Link: link, Date: o.Text("date", "timestamp"),
		})
	}
}

// AddTopStory appends a story of the news block.
func (p Page) AddTopStory(o loosejson.Object) {
	if link := Link(o, "link", "url"); link != "" {
		p.TopStories = append(p.TopStories, earshot.TopStory{
			Position: len(p.TopStories) + 1, Title: webtext.Line(o.Text("title")), Link: link, Source: webtext.Line(o.Text("source", "domain")),
			Date: o.Text("date", "time_published"), Thumbnail: Link(o, "thumbnail", "image", "image_url"),
		})
	}
}

// AddProducts appends a titled group of products.
func (p Page) AddProducts(title string, list []loosejson.Object) {
	var products []earshot.Product
	for _, o := range list {
		if product, ok := p.things.Product(ProductFields(o)); ok {
			product.Price, product.OldPrice = p.price(o, "price", "current_price"), p.price(o, "old_price")
			products = append(products, product)
		}
	}
	if len(products) == 0 {
		return
	}
	before := 0
	for _, card := range p.ShoppingCards {
		before += len(card.Products)
	}
	for i := range products {
		products[i].Position = before + i + 1
	}
	p.ShoppingCards = append(p.ShoppingCards, earshot.ShoppingCard{Title: title, Products: products})
}

// SetPanel fills the knowledge panel, if it has a title. Fields that are not known by
// name become attributes.
func (p Page) SetPanel(o loosejson.Object, attributes []earshot.KnowledgeAttribute) {
	title := webtext.Line(o.Text("title"))
	if title == "" {
		return
	}
	panel := &earshot.KnowledgeGraph{
		Title: title, Type: webtext.Line(o.Text("type", "sub_title", "subtitle")), Description: webtext.Clean(o.Text("description")),
		Website: Link(o, "website", "url"), ImageURL: Link(o, "imageUrl", "image", "image_url", "logo_url"), Attributes: attributes,
	}
	if source := o.Object("source"); source != nil {
		panel.Source, panel.SourceLink = webtext.Line(source.Text("name")), Link(source, "link", "url")
	}
	for _, profile := range o.Objects("profiles") {
		if link := Link(profile, "link", "url"); link != "" {
			panel.Profiles = append(panel.Profiles, earshot.KnowledgeProfile{Name: webtext.Line(profile.Text("name")), Link: link})
		}
	}
	p.KnowledgeGraph = panel
}

// AddNews appends an article of a news search, if it has a web address.
func AddNews(news *earshot.NewsSearch, o loosejson.Object, page int) {
	link := Link(o, "link", "url")
	if link == "" {
		return
	}
	source := webtext.Line(o.Text("source", "domain", "source_name"))
	if inner := o.Object("source"); inner != nil {
		source = webtext.Line(inner.Text("name", "title"))
	}
	news.NewsResults = append(news.NewsResults, earshot.NewsResult{
		Position: len(news.NewsResults) + 1, Page: max(1, page), Title: webtext.Line(o.Text("title")), Link: link, Domain: webtext.Domain(link),
		Snippet: webtext.Clean(o.Text("snippet", "description", "desc")), Source: source, Date: o.Text("date", "time_published", "timestamp"),
		Thumbnail: Link(o, "thumbnail", "image", "image_url", "imageUrl"),
	})
}

// PlaceFields copies a place under the names that answer.Things reads: vendors send a
// list of address lines, several categories, a nested location or links.
func PlaceFields(o loosejson.Object) loosejson.Object {
	o = maps.Clone(o)
	for _, part := range []string{"location", "links", "gps_coordinates"} {
		for key, value := range o.Object(part) {
			if _, known := o[key]; !known {
				o[key] = value
			}
		}
	}
	if lines := o.Texts("address", "line"); len(lines) > 0 {
		o["address"] = strings.Join(lines, ", ")
	}
	if categories := o.Texts("categories", "name"); len(categories) > 0 && o.Text("category") == "" {
		o["category"] = categories[0]
	}
	o = flatRating(o)
	rename(o, "review_count", "reviewCount", "reviews_count", "num_reviews")
	rename(o, "website_url", "websiteUrl")
	rename(o, "map_url", "directions")
	return o
}

// ProductFields copies a product under the names that answer.Things reads.
func ProductFields(o loosejson.Object) loosejson.Object {
	o = maps.Clone(o)
	if inner := o.Object("product"); inner != nil {
		if o["id"] == nil {
			o["id"] = inner["id"]
		}
	}
	for _, field := range []string{"price", "old_price"} {
		if text := priceText(o, field); text != "" {
			o[field] = text
		}
	}
	o = flatRating(o)
	rename(o, "url", "product_link", "shopping_url")
	rename(o, "merchant", "source")
	return o
}

// Products returns the products among the objects, which have the vendors' names of fields.
func Products(things answer.Things, list []loosejson.Object) []earshot.Product {
	copies := make([]loosejson.Object, len(list))
	for i, o := range list {
		copies[i] = ProductFields(o)
	}
	return things.Products(copies)
}

// VideoFields copies a video under the names that answer.Things reads.
func VideoFields(o loosejson.Object) loosejson.Object {
	o = maps.Clone(o)
	rename(o, "thumbnail", "image_url")
	rename(o, "date", "timestamp")
	return o
}

// flatRating copies an object whose rating is an object with the number of votes.
func flatRating(o loosejson.Object) loosejson.Object {
	rating := o.Object("rating")
	if rating == nil {
		return o
	}
	o = maps.Clone(o)
	o["rating"] = rating["value"]
	rename(o, "review_count", "reviewCount", "reviews_count", "num_reviews")
	for _, field := range []string{"count", "votes_count"} {
		if o["review_count"] == nil {
			o["review_count"] = rating[field]
		}
	}
	return o
}

// rename copies the first of the fields that is set to the field to, unless that is set.
func rename(o loosejson.Object, to string, from ...string) {
	for _, field := range from {
		if o[to] == nil && o[field] != nil {
			o[to] = o[field]
		}
	}
}
