package websearch

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// isPlace tells whether an element with a place's number opens it on the map: it
// is a link with the place's name.
func isPlace(n *html.Node, _ marks) bool { return n.DataAtom == atom.A && serp.Title(n) != nil }

var (
	phone       = regexp.MustCompile(`^\+?[\d\s().-]{7,20}$`)
	priceLevel  = regexp.MustCompile(`^\p{Sc}{1,4}$|^\p{Sc}[\d,.]+(–[\d,.]+|\+)?$`)
	coordinates = regexp.MustCompile(`@(-?\d{1,2}\.\d+),(-?\d{1,3}\.\d+)`)
)

// readPlace reads a place: its name, then a line with rating, price level and
// kind, then one with its address, then one with its hours.
func (r *reader) readPlace(n *html.Node) bool {
	heading := serp.Title(n)
	p := earshot.Place{Name: serp.Line(heading)}
	if p.Name == "" {
		return false
	}
	p.Rating, p.Reviews = ratingIn(n)
	lines := serp.LinesBut(n, func(n *html.Node) bool { return n == heading })
	for i, line := range lines {
		readPlaceLine(&p, i, strings.Split(line, "·"))
	}
	readCoordinates(&p, markup.Attr(n, "data-url"))
	for _, link := range markup.FindAll(placeUnit(n), markup.IsLink) {
		readCoordinates(&p, markup.Attr(link, "href"))
		to, redirect, ok := r.links.Read(markup.Attr(link, "href"))
		if !ok || !r.links.Leads(to) || p.Website != "" {
			continue
		}
		p.Website = to
		if redirect != "" {
			p.Link, p.RedirectLink = to, redirect // a redirect stands beside a link
		}
	}
	r.found.places = append(r.found.places, p)
	r.note(earshot.BlockPlaces)
	return true
}

// readPlaceLine sorts the segments of the line at an index.
func readPlaceLine(p *earshot.Place, index int, segments []string) {
	for _, segment := range segments {
		segment = strings.TrimSpace(segment)
		switch {
		case segment == "" || strings.Contains(segment, "(") && strings.ContainsFunc(segment, unicode.IsDigit) && index == 0:
		case segment[0] <= '9' && phone.MatchString(segment): // letters stand behind digits
			p.Phone = segment
		case (segment[0] == '$' || segment[0] >= utf8.RuneSelf) && priceLevel.MatchString(segment):
			p.PriceLevel = segment
		case index == 0 && p.Category == "":
			p.Category = segment
		case index == 1 && p.Address == "":
			p.Address = segment
		case index == 2 && p.Hours == "" && (len(segments) == 1 && serp.IsShort(segment) || strings.ContainsFunc(segment, unicode.IsDigit)):
			// Several segments without a number are what the place offers, a long
			// one is what it is like.
			p.Hours = segment
		}
	}
}

// placeUnit is what holds all that the page has of a place: the largest element
// around it in which no other is.
func placeUnit(place *html.Node) *html.Node {
	unit, number := place, markup.Attr(place, "data-cid")
	isOther := func(n *html.Node) bool { return markup.HasAttr(n, "data-cid") && markup.Attr(n, "data-cid") != number }
	for range 4 {
		if unit.Parent == nil || landmarks[markup.Attr(unit.Parent, "id")] || markup.Find(unit.Parent, isOther) != nil {
			return unit
		}
		unit = unit.Parent
	}
	return unit
}

// readCoordinates takes them out of an address on the map.
func readCoordinates(p *earshot.Place, address string) {
	if p.Latitude != nil || !strings.Contains(address, "@") {
		return
	}
	if at := coordinates.FindStringSubmatch(address); at != nil {
		p.Latitude, p.Longitude = degrees(at[1]), degrees(at[2])
	}
}

// pin is a hotel on the map.
type pin struct{ latitude, longitude *float64 }

// readPin notes a hotel on the map, under what its address ends with.
func (r *reader) readPin(n *html.Node, key string) {
	at := pin{degrees(markup.Attr(n, "data-lat")), degrees(markup.Attr(n, "data-lng"))}
	if key != "" && at.latitude != nil && at.longitude != nil && len(r.pins) < maxTitles {
		r.pins[key] = at
	}
}

// hotelKey is what an address of a hotel ends with.
var hotelKey = regexp.MustCompile(`entity/([\w-]+)`)

// place puts the hotels where the map shows them.
func (r *reader) place() {
	for i := range r.found.places {
		p := &r.found.places[i]
		if key := hotelKey.FindStringSubmatch(p.Link); key != nil {
			at := r.pins[key[1]]
			p.Latitude, p.Longitude = at.latitude, at.longitude
		}
	}
}

func degrees(text string) *float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &value
}
