package websearch

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// isPlace reports whether an element with the id of a place opens the map: it is a link with the
// name of the place.
func isPlace(n *html.Node, _ marks) bool { return n.DataAtom == atom.A && serp.Title(n) != nil }

var (
	phone       = regexp.MustCompile(`^\+?[\d\s\x{a0}\x{202f}().\x{2011}/-]{7,20}$`)
	priceLevel  = regexp.MustCompile(`^\p{Sc}{1,4}$|^\p{Sc}[\d,.]+(–[\d,.]+|\+)?$|^[\d,.]+(–[\d,.]+|\+)?[\s\x{a0}]?\p{Sc}$`)
	coordinates = regexp.MustCompile(`@(-?\d{1,2}\.\d+),(-?\d{1,3}\.\d+)`)
	distance    = regexp.MustCompile(`^[\d.,]+[\s\x{a0}]?\pL{1,2}\.?$`)
	moreThan    = regexp.MustCompile(`\d\+`)                                 // "5+ years in business"
	inBusiness  = regexp.MustCompile(`^\pL[^\d,]*\s\d{1,3}\s\p{Ll}[^\d,]*$`) // "Más de 5 años de actividad"
	timeText    = regexp.MustCompile(`\d[:.]\d\d\b|\d[\s\x{a0}\x{202f}]?[AaPp]\.?[Mm]\b`)
)

// readPlace reads a place: its name, then a row with rating, price level and category, then a row
// with its address, then a row with its hours. Each of them can be missing.
func (r *reader) readPlace(n *html.Node) bool {
	heading := serp.Title(n)
	p := earshot.Place{Name: serp.Line(heading)}
	if p.Name == "" {
		return false
	}
	p.Rating, p.Reviews = ratingIn(n)
	for i, row := range rowsBelow(heading, n) {
		if i == 0 {
			readCategory(&p, segmentsOf(row))
		} else {
			readPlaceRow(&p, row, i)
		}
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

// rowsBelow returns the rows of text below the heading of a place. They are siblings, next to the
// heading or in the element next to it.
func rowsBelow(heading, place *html.Node) (rows []*html.Node) {
	first := after(heading)
	for n := heading; first == nil && n.Parent != place; first = after(n) {
		n = n.Parent
	}
	for inner := first; inner != nil; inner = markup.Find(first, isRow) {
		first = inner
	}
	for ; first != nil; first = after(first) {
		rows = append(rows, first)
	}
	return rows
}

// isRow reports whether the element is a row of text.
func isRow(n *html.Node) bool { return n.DataAtom == atom.Div && hasText(n) }

// segmentsOf returns the parts of a row between the dots.
func segmentsOf(row *html.Node) (segments []string) {
	text := row.Data
	if row.Type == html.ElementNode {
		text = serp.Line(row)
	}
	for segment := range strings.SplitSeq(text, "·") {
		if segment = webtext.Line(segment); segment != "" {
			segments = append(segments, segment)
		}
	}
	return segments
}

// readCategory reads the row with the rating, or with words that say that it is missing, then the
// price level and the category.
func readCategory(p *earshot.Place, segments []string) {
	for i, segment := range segments {
		stars := starCount.FindStringSubmatch(segment)
		switch {
		case stars != nil:
			p.Rating = cmp.Or(p.Rating, webtext.Decimal(stars[1]))
			p.Reviews = cmp.Or(p.Reviews, webtext.Count(stars[2]))
		case priceLevel.MatchString(segment):
			p.PriceLevel = segment
		case i == len(segments)-1 && !reviewCount.MatchString(segment):
			p.Category = segment
		}
	}
}

// readPlaceRow reads the row with the address or the hours; both can have the phone number. Other
// rows list services or quote a review, mostly with elements inside.
func readPlaceRow(p *earshot.Place, row *html.Node, index int) {
	segments := slices.DeleteFunc(segmentsOf(row), func(segment string) bool {
		if phone.MatchString(segment) {
			p.Phone = segment
			return true
		}
		return false
	})
	text := strings.Join(segments, " · ")
	isPlain := row.Type == html.TextNode || markup.Find(row, isRow) == nil
	switch {
	case text == "" || strings.ContainsRune("\"“„«「", []rune(text)[0]):
	case isHours(row, text) || index > 1 && isPlain && len(segments) == 1:
		if p.Hours == "" && serp.IsShort(segments[0]) {
			p.Hours = text
		}
	case index == 1 && isPlain:
		if p.Category == "" && len(segments) > 1 && isNamed(segments[0]) { // on mobile devices
			p.Category, segments = segments[0], segments[1:]
		}
		p.Address = addressIn(segments)
	}
}

// isHours reports whether the row has opening hours: the state in a color, the dot operator between
// the state and the next change, or a time.
func isHours(row *html.Node, text string) bool {
	return strings.Contains(text, "⋅") || timeText.MatchString(text) || row.Type == html.ElementNode &&
		markup.Find(row, func(n *html.Node) bool { return strings.Contains(markup.Attr(n, "style"), "color:") }) != nil
}

// addressIn returns the segment with the address. Before it can be the distance to the place or how
// long it has been in business, after it the building.
func addressIn(segments []string) string {
	for i, segment := range segments {
		if isNamed(segment) && (i == len(segments)-1 || !inBusiness.MatchString(segment)) {
			return segment
		}
	}
	return ""
}

// isNamed reports whether the segment has a name, unlike the distance to a place and the number of
// years in business.
func isNamed(segment string) bool {
	isLowercase := strings.ToLower(segment) == segment && strings.ToUpper(segment) != segment
	return !isLowercase && !distance.MatchString(segment) && !moreThan.MatchString(segment)
}

// placeUnit returns the largest element around a place without another place.
func placeUnit(place *html.Node) *html.Node {
	id := placeID(place)
	return unitOf(place, 4, func(n *html.Node) bool { return placeID(n) != "" && placeID(n) != id })
}

// placeID returns the id of the place that the element opens, or "".
func placeID(n *html.Node) string {
	return cmp.Or(markup.Attr(n, "data-cid"), markup.Attr(n, "data-rc_ludocids")) // the second is for mobile devices
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
