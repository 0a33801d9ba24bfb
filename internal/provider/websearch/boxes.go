package websearch

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Limits of a quoted answer. Real answers have up to 12 items and 500 characters.
const (
	maxItems   = 50
	maxBoxText = 1000
)

func cutText(text string) string { return cut(text, maxBoxText) }

// cut returns at most the given number of characters of a text.
func cut(text string, characters int) string {
	if runes := []rune(text); len(runes) > characters {
		return string(runes[:characters])
	}
	return text
}

// boxIDs maps the ids of the engine's own answers to their types.
var boxIDs = map[string]string{
	"cwos": "calculator", "wob_wc": "weather", "sports-app": "sports", "tw-container": "other", "tw-ob": "other",
	"HG5Seb": "conversion", "NotFQb": "conversion", "ucw_lhs_d": "conversion",
	"knowledge-currency__updatable-data-column":     "conversion",
	"knowledge-finance-wholepage__entity-summary":   "finance",
	"knowledge-finance-wholepage-summary-container": "finance",
}

// clickTournament is the kind of click on the results of a tournament or a racing season.
const clickTournament serp.Click = 38540

// boxKind returns the type of the engine's own answer in the element, or "".
func boxKind(m marks) string {
	switch {
	case boxIDs[m.id] != "":
		return boxIDs[m.id]
	case m.click == clickTournament:
		return "sports"
	case m.answers:
		return "other"
	default:
		return ""
	}
}

// readAnswerBox reads an answer of the engine itself.
func (r *reader) readAnswerBox(n *html.Node, kind string) bool {
	r.looks++
	if r.found.AnswerBox != nil || r.looks > maxLooks {
		return false
	}
	found := earshot.AnswerBox{Type: kind}
	switch target := byID(n, "tw-target-text"); {
	case target != nil: // the elements after the first one show that a translation is loading
		translation := markup.Find(target, func(*html.Node) bool { return true })
		found.Text, found.Title = serp.Line(cmp.Or(translation, target)), serp.Line(byID(n, "tw-source-text-ta"))
	case kind == "weather":
		found.Text, found.Title = boxText(n), serp.Line(byID(n, "wob_loc"))
	case kind == "conversion":
		found.Text = conversion(n)
	case kind == "other":
		found.Text = boxText(n)
	default:
		found.Text, found.Title = boxText(n), boxTitle(n)
	}
	found.Text = cutText(found.Text)
	if found.Text == "" {
		return false
	}
	found.Link, found.RedirectLink = r.boxLink(n)
	r.found.AnswerBox = &found
	r.note(earshot.BlockAnswerBox)
	return true
}

// boxLink returns the destination and the redirect link of the first link in an answer that leads
// away, except for the engine's help.
func (r *reader) boxLink(n *html.Node) (destination, redirect string) {
	link := markup.Find(n, func(n *html.Node) bool { return r.leadsAway(n) && !isHelp(n) })
	if link != nil {
		destination, redirect, _ = r.links.Read(markup.Attr(link, "href"))
	}
	return destination, redirect
}

// isHelp reports whether the element is a link to the engine's help.
func isHelp(n *html.Node) bool { return strings.Contains(markup.Attr(n, "href"), "//support.google.") }

// byID returns the visible element with the id in the node, or nil.
func byID(n *html.Node, id string) *html.Node {
	return markup.Find(n, func(n *html.Node) bool { return markup.Attr(n, "id") == id })
}

// boxText returns the text of an answer without its controls, and without the forecast and the place
// of the weather.
func boxText(n *html.Node) string {
	return strings.Join(slices.Compact(serp.LinesBut(n, func(n *html.Node) bool {
		switch markup.Attr(n, "role") {
		case "button", "tablist", "menu", "dialog":
			return true
		}
		switch markup.Attr(n, "id") {
		case "wob_loc", "wob_dp", "wob_gsp":
			return true
		}
		return n.DataAtom == atom.Select || n.DataAtom == atom.H2 || isHelp(n) || n.DataAtom == atom.Li && markup.Find(n, isRetry) != nil
	})), " ")
}

// isRetry reports whether the element is a link that loads a part of an answer again. The part is
// empty.
func isRetry(n *html.Node) bool { return strings.HasPrefix(markup.Attr(n, "href"), "javascript:") }

// boxTitle returns the first heading of an answer outside of dialogs, or "".
func boxTitle(n *html.Node) string {
	isDialog := func(n *html.Node) bool { return markup.Attr(n, "role") == "dialog" }
	headings := markup.FindAll(n, func(n *html.Node) bool { return isDialog(n) || isHeading(n, marksOf(n)) })
	if headings = slices.DeleteFunc(headings, isDialog); len(headings) == 0 {
		return ""
	}
	return serp.Line(headings[0])
}

// conversion returns the answer of a converter. The rate of currencies is text. Amounts and units
// are fields of a form; n is one side of the form.
func conversion(n *html.Node) string {
	if rate := markup.Find(n, markup.Has("data-exchange-rate")); rate != nil {
		return serp.Line(rate)
	}
	form := n
	for range 4 {
		if sides := formSides(form); len(sides) == 2 {
			return strings.Join(sides, " = ")
		}
		if form.Parent == nil {
			break
		}
		form = form.Parent
	}
	return boxText(n)
}

// formSides returns the amounts in a form, each with the unit that is selected after it. It stops
// after three amounts, because such a form is not a converter.
func formSides(form *html.Node) []string {
	var sides []string
	units := 0
	markup.Find(form, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Input && strings.ContainsFunc(markup.Attr(n, "value"), unicode.IsDigit):
			sides = append(sides, markup.Attr(n, "value"))
		case n.DataAtom == atom.Select && len(sides) == units+1: // others select the quantity
			unit := serp.Line(markup.Find(n, markup.Has("selected")))
			sides[units] = strings.TrimSpace(sides[units] + " " + unit)
			units++
		}
		return len(sides) > 2
	})
	return sides
}

// eventName is the name of an event, and of a link to tickets for it.
const eventName = "EventsModule"

// piecesOf returns the text nodes in the node as separate pieces. They can be on separate lines
// without an element that says so.
func piecesOf(n *html.Node) []string {
	var pieces []string
	for text := range n.Descendants() {
		if line := webtext.Line(text.Data); text.Type == html.TextNode && line != "" && len(pieces) < maxItems {
			pieces = append(pieces, line)
		}
	}
	return pieces
}

// readEvent reads an event, or a link to tickets for the event before it.
func (r *reader) readEvent(n *html.Node) bool {
	if link := markup.Find(n, markup.IsLink); link != nil {
		last := len(r.found.Events) - 1
		if last < 0 || r.found.Events[last].Link != "" {
			return true
		}
		to, redirect, ok := r.links.Read(markup.Attr(link, "href"))
		lines := piecesOf(link)
		if ok && r.links.Leads(to) && len(lines) > 0 {
			e := &r.found.Events[last]
			e.Link, e.RedirectLink, e.Source = to, redirect, lines[0]
		}
		return true
	}
	lines := piecesOf(n)
	if len(lines) < 2 {
		return false
	}
	var e earshot.Event
	for _, line := range lines {
		before, after, dotted := strings.Cut(line, "·")
		switch {
		case e.Title == "" && len([]rune(line)) <= 9 && !strings.ContainsFunc(e.Date, unicode.IsDigit):
			e.Date = strings.TrimSpace(e.Date + " " + line) // month and day are separate pieces
		case e.Title == "":
			e.Title = line
		case dotted && e.Venue == "":
			e.Date = strings.TrimSpace(e.Date + ", " + strings.TrimSpace(before))
			e.Venue = strings.TrimSpace(after)
		}
	}
	if e.Title == "" {
		return false
	}
	r.found.Events = append(r.found.Events, e)
	r.note(earshot.BlockEvents)
	return true
}

// hotelPath is part of the address of a hotel on the engine's site.
const hotelPath = "/travel/hotels/"

func isHotel(address string) bool {
	return strings.Contains(address, hotelPath) && strings.Contains(address, "entity/")
}

// readHotel reads a hotel: its name, price per night and rating.
func (r *reader) readHotel(n *html.Node, address string) bool {
	name := markup.Find(n, func(n *html.Node) bool { return strings.HasPrefix(markup.Attr(n, "id"), "name_") })
	p := earshot.Place{Name: serp.Line(cmp.Or(name, serp.Title(n)))}
	before := "" // the last segment
	for _, line := range serp.Lines(n) {
		for segment := range strings.SplitSeq(line, "·") {
			segment = strings.TrimSpace(segment)
			stars := starCount.FindStringSubmatch(segment)
			switch {
			case stars != nil && p.Rating == nil:
				p.Rating = webtext.Decimal(stars[1])
				p.Reviews = cmp.Or(webtext.Count(stars[2]), p.Reviews)
			case reviewCount.MatchString(segment):
				p.Reviews = webtext.Count(strings.Trim(segment, "()"))
			case priceLevel.MatchString(segment) && (p.PriceLevel == "" || p.PriceLevel == before): // the price before a discount is first
				p.PriceLevel = segment
			case p.Name == "" && hasWords(segment) && !priceLevel.MatchString(segment):
				p.Name = segment
			}
			before = segment
		}
	}
	to, redirect, ok := r.links.Read(address)
	if p.Name == "" || !ok || p.Rating == nil && p.PriceLevel == "" {
		return false
	}
	p.Link, p.RedirectLink = to, redirect
	r.found.Places = append(r.found.Places, p)
	r.note(earshot.BlockHotels)
	return true
}
