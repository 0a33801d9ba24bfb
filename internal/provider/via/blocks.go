package via

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// SetSnippet fills the featured snippet, if it has a web address. items are the points of
// a list; table says that the page quotes a table.
func (p Page) SetSnippet(o loosejson.Object, text string, items []string, table bool) {
	link := Link(o, "link", "url")
	if link == "" || text == "" && len(items) == 0 {
		return
	}
	kind := "paragraph"
	switch {
	case table:
		kind = "table"
	case len(items) > 0:
		kind = "list"
	}
	p.FeaturedSnippet = &earshot.FeaturedSnippet{
		Type: kind, Text: webtext.Clean(text), Items: items, Title: webtext.Line(o.Text("title")), Link: link, Domain: webtext.Domain(link),
	}
}

// AddImage appends an image, if the page that contains it is known.
func (p Page) AddImage(o loosejson.Object) {
	link := Link(o, "link", "url", "source")
	if link == "" {
		return
	}
	title, source := webtext.Line(o.Text("title", "image_alt", "alt")), o.Text("source_name")
	if source == "" && Link(o, "source") == "" {
		source = strings.TrimPrefix(webtext.Line(o.Text("source")), title)
	}
	p.Images = append(p.Images, earshot.SearchImage{
		Position: len(p.Images) + 1, Title: title, Link: link, Source: source, Thumbnail: Link(o, "thumbnail", "image", "image_url"),
	})
}

// AddRecipe appends a recipe.
func (p Page) AddRecipe(o loosejson.Object) {
	if o.Text("title") == "" {
		return
	}
	o = flatRating(o)
	p.Recipes = append(p.Recipes, earshot.Recipe{
		Position: len(p.Recipes) + 1, Title: o.Text("title"), Link: Link(o, "link", "url"), Source: o.Text("source", "domain"),
		Rating: o.Number("rating"), Reviews: o.Count("reviews", "review_count"), Duration: o.Text("total_time", "time"),
	})
}

// AddEvent appends an event.
func (p Page) AddEvent(o loosejson.Object) {
	if o.Text("title") == "" {
		return
	}
	p.Events = append(p.Events, earshot.Event{
		Position: len(p.Events) + 1, Title: o.Text("title"), Link: Link(o, "link", "url"), Source: o.Text("source"),
		Date: cmp.Or(o.Object("date").Text("when", "start_date"), o.Text("date", "snippet")), Venue: cmp.Or(o.Object("venue").Text("name"), o.Text("venue")),
	})
}

// AddJob appends a job offer.
func (p Page) AddJob(o loosejson.Object) {
	if o.Text("title") == "" {
		return
	}
	p.Jobs = append(p.Jobs, earshot.JobPosting{
		Position: len(p.Jobs) + 1, Title: o.Text("title"), Link: Link(o, "link", "url", "share_link"), Source: o.Text("author", "via"),
		Company: o.Text("company_name", "company"), Location: o.Text("location"),
	})
}

// AddPost appends a post of a social network, if it has a web address.
func (p Page) AddPost(o loosejson.Object) {
	link := Link(o, "link", "url")
	if link == "" {
		return
	}
	post := earshot.SearchPost{
		Position: len(p.Posts) + 1, Platform: webtext.Domain(link), Author: o.Text("author", "source"), Title: o.Text("title"),
		Text: webtext.Clean(o.Text("tweet", "snippet", "description")), Link: link, Date: o.Text("date", "published_date", "timestamp"),
	}
	if known, _ := answer.PostAt(link); known != nil {
		post.Platform, post.Author = known.Platform, cmp.Or(known.Author, post.Author)
	}
	p.Posts = append(p.Posts, post)
}

// AddCarousel appends a row of items, if it has any.
func (p Page) AddCarousel(title string, list []loosejson.Object) {
	carousel := earshot.Carousel{Title: title}
	for _, o := range list {
		if name := o.Text("title", "name"); name != "" {
			carousel.Items = append(carousel.Items, earshot.CarouselItem{
				Position: len(carousel.Items) + 1, Title: name, Subtitle: o.Text("subtitle"), Link: Link(o, "link", "url"), ImageURL: Link(o, "image_url", "image", "thumbnail"),
			})
		}
	}
	if len(carousel.Items) > 0 {
		p.Carousels = append(p.Carousels, carousel)
	}
}

// AddBlock appends a block of count items to the layout. It joins adjacent blocks of one kind.
func (p Page) AddBlock(kind earshot.BlockType, title string, count int) {
	if kind != earshot.BlockUnknown && kind != earshot.BlockCarousel {
		title = ""
	}
	if last := len(p.Layout) - 1; last >= 0 && p.Layout[last].Type == kind && p.Layout[last].Title == title && kind != earshot.BlockUnknown {
		p.Layout[last].Count += count
		return
	}
	p.Layout = append(p.Layout, earshot.LayoutBlock{Type: kind, Position: len(p.Layout) + 1, Count: count, Title: title})
}

// hasRelated reports whether the page already has a related search.
func (p Page) hasRelated(query string) bool {
	return slices.ContainsFunc(p.RelatedSearches, func(r earshot.RelatedSearch) bool { return r.Query == query })
}

// hasQuestion reports whether the page already has a question.
func (p Page) hasQuestion(question string) bool {
	return slices.ContainsFunc(p.PeopleAlsoAsk, func(q earshot.Question) bool { return q.Question == question })
}
