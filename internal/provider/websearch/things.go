package websearch

import (
	"cmp"
	"regexp"
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

// thing is an item in a list of entities that the engine knows. It is a link to a search for the
// entity, with an image or the mark of a list item.
type thing struct {
	earshot.CarouselItem

	box     *html.Node
	lines   []string // the text of the item
	list    int      // the number of the list
	title   string   // the heading of the list
	at      int
	beside  bool // in the column next to the results
	isEvent bool
}

// minThings is the minimum number of items in a list.
const minThings = 2

// readItem reads an item whose link is an empty element over the item (since 2025).
func (r *reader) readItem(n *html.Node) bool {
	r.looks++
	if r.looks > maxLooks {
		return false
	}
	link := markup.Find(n, markup.IsLink)
	return link != nil && serp.Line(link) == "" && r.readThing(link, n)
}

// readThing reads an item if the link is one; box is the whole item. Other links to searches are
// related searches, facts of a panel, and navigation.
func (r *reader) readThing(n, box *html.Node) bool {
	if len(r.things) >= maxTitles {
		return false
	}
	address := markup.Attr(n, "href")
	if !strings.Contains(address, "stick=") && !strings.Contains(address, "si=") {
		return false
	}
	link, _, ok := r.links.SearchFor(address)
	role, name := markup.Attr(n, "role"), markup.Attr(n, galleryName)
	if !ok || role == "button" || role == "tab" && name == "" || serp.ClickOf(n) == serp.ClickRelated {
		return false
	}
	item, listed := listItem(n)
	if !listed && name == "" && markup.Find(box, func(n *html.Node) bool { return n.DataAtom == atom.Img }) == nil {
		return false
	}
	if !listed {
		item = box
	}
	lines := serp.LinesBut(box, isLabelled)
	for len(lines) > 1 && isNumber(lines[0]) { // the position in the list
		lines = lines[1:]
	}
	if name != "" {
		lines = []string{name}
		if detail := strings.Trim(strings.TrimPrefix(markup.Attr(n, "title"), name), " ()"); detail != "" {
			lines = append(lines, detail)
		}
	}
	if len(lines) == 0 {
		return false
	}
	t := thing{box: box, lines: lines, list: r.lists, title: r.listTitle, at: r.at, beside: r.beside, isEvent: isEventList(n)}
	t.Title, t.Link, t.ImageURL = lines[0], link, r.pictures.Of(item)
	if heading := serp.Title(box); heading != nil {
		t.Title = serp.Line(heading)
	}
	if full := markup.Attr(n, "title"); full != "" && strings.HasSuffix(strings.TrimSpace(t.Title), "...") {
		t.Title = full
	}
	for _, line := range lines {
		if line != lines[0] && line != t.Title {
			t.Subtitle = strings.TrimSpace(t.Subtitle + " " + line)
		}
	}
	r.things = append(r.things, t)
	return true
}

// galleryName is the attribute with the name of an entity in the gallery above the results. The
// title attribute has the name with a detail in brackets. The text can be on several lines, and items
// further to the right have no image yet.
const galleryName = "data-entityname"

// isNumber reports whether the line has only digits.
func isNumber(line string) bool {
	return strings.IndexFunc(line, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// listItem returns the element around the link that is marked as an item in a list of entities.
// listed is false if no such element exists.
func listItem(link *html.Node) (item *html.Node, listed bool) {
	n := link
	for range 3 {
		if markup.HasAttr(n, "data-rentity") || markup.HasAttr(n, "data-item-card") || markup.HasAttr(n, "data-entity_id") {
			return n, true
		}
		if n.Parent == nil {
			break
		}
		n = n.Parent
	}
	return link, false
}

// isEventList reports whether the item is in a list of events.
func isEventList(n *html.Node) bool {
	for range 8 {
		if n == nil {
			return false
		}
		if name := markup.Attr(n, "data-attrid"); strings.HasPrefix(name, "kc:/") {
			return strings.Contains(name, "events")
		}
		n = n.Parent
	}
	return false
}

// placed is an item with its position on the page.
type placed[T any] struct {
	thing T
	at    int
}

// inOrder returns the items in document order.
func inOrder[T any](found []placed[T]) []T {
	slices.SortStableFunc(found, func(a, b placed[T]) int { return cmp.Compare(a.at, b.at) })
	var things []T
	for _, p := range found {
		things = append(things, p.thing)
	}
	return things
}

var timeOfDay = regexp.MustCompile(`^\d{1,2}[:.]\d{2}\b`)

// carousels turns the items that were found into carousels.
func (r *reader) carousels() {
	for from := 0; from < len(r.things); {
		to := from + 1
		for to < len(r.things) && r.things[to].list == r.things[from].list && r.things[to].title == r.things[from].title {
			to++
		}
		r.carousel(r.things[from:to])
		from = to
	}
}

func (r *reader) carousel(things []thing) {
	first := things[0]
	if len(things) < minThings {
		r.alone(first)
		return
	}
	if r.priced(things) {
		return
	}
	kind := earshot.BlockCarousel
	if first.isEvent && len(first.lines) > 1 {
		kind = earshot.BlockEvents
	}
	list := earshot.Carousel{Title: cutTitle(first.title)}
	for _, t := range things {
		if !t.beside || r.found.KnowledgeGraph == nil {
			title := ""
			if kind == earshot.BlockCarousel {
				title = first.title
			}
			r.noteAt(kind, t.at, title)
		}
		if kind == earshot.BlockEvents {
			r.found.Events = append(r.found.Events, eventOf(t))
			continue
		}
		list.Items = append(list.Items, t.CarouselItem)
	}
	if kind == earshot.BlockCarousel {
		r.rows = append(r.rows, placed[earshot.Carousel]{list, first.at})
	}
}

// alone records an item below a heading of its own, such as the book of a film, as a block that was
// not understood.
func (r *reader) alone(t thing) {
	isHeading := func(p part) bool { return p.title != "" && p.title == t.title && p.at < t.at }
	if !t.beside && slices.ContainsFunc(r.parts, isHeading) {
		r.found.unread = append(r.found.unread, cutTitle(t.title))
		r.noteAt(earshot.BlockUnknown, t.at, t.title)
	}
}

// priced adds a card of products if most items have prices, and reports whether it did.
func (r *reader) priced(things []thing) bool {
	card := earshot.ShoppingCard{Title: cutTitle(things[0].title)}
	for _, t := range things {
		if len(t.lines) < 2 || !isPrice(t.lines[1]) || !strings.ContainsFunc(t.lines[1], isSign) { // the price is below the name
			continue
		}
		product := earshot.Product{Title: t.Title, Price: webtext.Price(t.lines[1], r.want.country)}
		product.Rating, product.Reviews = ratingIn(t.box)
		if t.ImageURL != "" {
			product.Images = []string{t.ImageURL}
		}
		card.Products = append(card.Products, product)
	}
	if 2*len(card.Products) <= len(things) || things[0].beside {
		return false
	}
	r.found.ShoppingCards = append(r.found.ShoppingCards, card)
	for _, t := range things {
		r.noteAt(earshot.BlockProducts, t.at, "")
	}
	return true
}

// isSign reports whether the character is a currency sign.
func isSign(r rune) bool { return unicode.Is(unicode.Sc, r) }

// eventOf returns the event of an item: its date, title and venue.
func eventOf(t thing) earshot.Event {
	e := earshot.Event{Title: t.lines[0], Link: t.Link}
	for len(t.lines) > 1 && (e.Date == "" && serp.MayBeDate(t.lines[0]) || timeOfDay.MatchString(t.lines[0])) {
		e.Date = strings.TrimSpace(e.Date + " " + t.lines[0])
		e.Title = t.lines[1]
		t.lines = t.lines[1:]
	}
	if len(t.lines) > 1 {
		e.Venue = t.lines[1]
	}
	return e
}
