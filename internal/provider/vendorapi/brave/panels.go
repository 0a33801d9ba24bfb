package brave

import (
	"cmp"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
)

// readPanels reads the news, the videos, the places and the infobox of a web search.
func readPanels(found *earshot.WebSearch, o loosejson.Object) {
	found.TopStories = collect(o.Object("news"), readStory)
	found.Videos = collect(o.Object("videos"), readVideo)
	found.Places = collect(o.Object("locations"), readPlace)
	if panels := collect(o.Object("infobox"), readInfobox); len(panels) > 0 {
		found.KnowledgeGraph = panels[0]
	}
}

func readStory(o loosejson.Object) (story earshot.TopStory, ok bool) {
	article, ok := readArticle(o)
	return earshot.TopStory{Title: article.Title, Link: article.Link, Source: article.Source, Date: article.Date, Thumbnail: article.Thumbnail}, ok
}

func readVideo(o loosejson.Object) (video earshot.Video, ok bool) {
	about := o.Object("video")
	video = earshot.Video{
		Title:     plain(o, "title"),
		URL:       link(o, "url"),
		Platform:  plain(about, "publisher"),
		Channel:   cmp.Or(plain(about, "creator"), plain(about.Object("author"), "name")),
		Duration:  about.Text("duration"),
		Date:      date(o),
		Thumbnail: cmp.Or(image(o), image(about)),
	}
	return video, video.Title != "" && video.URL != ""
}

func readPlace(o loosejson.Object) (place earshot.Place, ok bool) {
	rating := o.Object("rating")
	place = earshot.Place{
		Name:       plain(o, "title"),
		Address:    address(o.Object("postal_address")),
		Rating:     rating.Number("ratingValue"),
		Reviews:    rating.Count("reviewCount"),
		PriceLevel: o.Text("price_range"),
		Phone:      o.Object("contact").Text("telephone"),
		Website:    link(o, "url"),
		Link:       link(o, "provider_url"),
		Hours:      hours(o.Object("opening_hours")),
	}
	if place.Website == place.Link {
		place.Website = "" // it is the page of the directory that lists the place
	}
	if categories := o.Texts("categories", ""); len(categories) > 0 {
		place.Category = categories[0]
	}
	place.Latitude, place.Longitude = coordinates(o)
	return place, place.Name != ""
}

// address returns the displayed address, or else the joined parts of the address.
func address(o loosejson.Object) string {
	if shown := plain(o, "displayAddress"); shown != "" {
		return shown
	}
	var parts []string
	for _, field := range []string{"streetAddress", "addressLocality", "addressRegion", "postalCode", "country"} {
		if part := plain(o, field); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// hours returns today's opening hours, which may consist of several spans.
func hours(o loosejson.Object) string {
	var spans []string
	for _, span := range o.Objects("current_day") {
		if opens, closes := span.Text("opens"), span.Text("closes"); opens != "" && closes != "" {
			spans = append(spans, opens+"–"+closes)
		}
	}
	return strings.Join(spans, ", ")
}

// coordinates returns latitude and longitude from a list of two numbers.
func coordinates(o loosejson.Object) (latitude, longitude *float64) {
	list, _ := o["coordinates"].([]any)
	if len(list) != 2 {
		return nil, nil
	}
	both := loosejson.Object{"latitude": list[0], "longitude": list[1]}
	latitude, longitude = both.Number("latitude"), both.Number("longitude")
	if latitude == nil || longitude == nil {
		return nil, nil
	}
	return latitude, longitude
}

// answerBox is the subtype of an infobox that answers a question instead of describing a thing.
const answerBox = "code"

// readInfobox reads an infobox. ok is false if the box does not describe a thing.
func readInfobox(o loosejson.Object) (panel *earshot.KnowledgeGraph, ok bool) {
	panel = &earshot.KnowledgeGraph{
		Title:       plain(o, "title"),
		Type:        plain(o, "label", "category"),
		Description: prose(o, "long_desc", "description"),
		Website:     link(o, "website_url"),
		ImageURL:    image(o),
	}
	if panel.Title == "" || o.Text("subtype") == answerBox {
		return nil, false
	}
	for _, source := range o.Objects("providers") {
		panel.Source = cmp.Or(panel.Source, plain(source, "name"))
	}
	attributes, _ := o["attributes"].([]any)
	for _, attribute := range attributes {
		pair, _ := attribute.([]any)
		if len(pair) != 2 {
			continue
		}
		both := loosejson.Object{"name": pair[0], "value": pair[1]}
		if name, value := plain(both, "name"), prose(both, "value"); name != "" && value != "" {
			panel.Attributes = append(panel.Attributes, earshot.KnowledgeAttribute{Name: name, Value: value})
		}
	}
	for _, item := range o.Objects("profiles") {
		profile := earshot.KnowledgeProfile{Name: plain(item, "name", "long_name"), Link: link(item, "url")}
		if profile.Name != "" && profile.Link != "" {
			panel.Profiles = append(panel.Profiles, profile)
		}
	}
	return panel, true
}
