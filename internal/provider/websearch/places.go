package websearch

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// isPlace reports whether an element with the id of a place opens the map: it is a link with the
// name of the place.
func isPlace(n *html.Node, _ marks) bool { return n.DataAtom == atom.A && serp.Title(n) != nil }

var (
	phone       = regexp.MustCompile(`^\+?[\d\s().-]{7,20}$`)
	priceLevel  = regexp.MustCompile(`^\p{Sc}{1,4}$|^\p{Sc}[\d,.]+(–[\d,.]+|\+)?$`)
	coordinates = regexp.MustCompile(`@(-?\d{1,2}\.\d+),(-?\d{1,3}\.\d+)`)
)

// readPlace reads a place: its name, then a line with rating, price level and category, then a line
// with its address, then a line with its hours.
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
			p.Link, p.RedirectLink = to, redirect // a website has no field for its redirect link
		}
	}
	r.found.Places = append(r.found.Places, p)
	r.note(earshot.BlockPlaces)
	return true
}

// readPlaceLine assigns the segments of a line to the fields of a place. index is the index of the
// line.
func readPlaceLine(p *earshot.Place, index int, segments []string) {
	for _, segment := range segments {
		segment = strings.TrimSpace(segment)
		switch {
		case segment == "" || strings.Contains(segment, "(") && strings.ContainsFunc(segment, unicode.IsDigit) && index == 0:
		case phone.MatchString(segment):
			p.Phone = segment
		case priceLevel.MatchString(segment):
			p.PriceLevel = segment
		case index == 0 && p.Category == "":
			p.Category = segment
		case index == 1 && p.Address == "":
			p.Address = segment
		case index == 2 && p.Hours == "" && (len(segments) == 1 && serp.IsShort(segment) || strings.ContainsFunc(segment, unicode.IsDigit)):
			// Several segments without a digit list services; a long one is a description.
			p.Hours = segment
		}
	}
}

// placeUnit returns the largest element around a place without another place.
func placeUnit(place *html.Node) *html.Node {
	id := markup.Attr(place, "data-cid")
	return unitOf(place, 4, func(n *html.Node) bool { return markup.HasAttr(n, "data-cid") && markup.Attr(n, "data-cid") != id })
}

// readCoordinates sets the coordinates from an address on the map.
func readCoordinates(p *earshot.Place, address string) {
	if at := coordinates.FindStringSubmatch(address); at != nil && p.Latitude == nil {
		p.Latitude, p.Longitude = degrees(at[1]), degrees(at[2])
	}
}

// pin is the position of a hotel on the map.
type pin struct{ latitude, longitude *float64 }

// readPin records a hotel on the map under the key in the hotel's address.
func (r *reader) readPin(n *html.Node, key string) {
	at := pin{degrees(markup.Attr(n, "data-lat")), degrees(markup.Attr(n, "data-lng"))}
	if key != "" && at.latitude != nil && at.longitude != nil && len(r.pins) < maxTitles {
		r.pins[key] = at
	}
}

// hotelKey matches the key at the end of a hotel's address.
var hotelKey = regexp.MustCompile(`entity/([\w-]+)`)

// place sets the coordinates of the hotels from the map.
func (r *reader) place() {
	for i := range r.found.Places {
		p := &r.found.Places[i]
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
