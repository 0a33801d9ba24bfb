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

// snippetName is the prefix of the names of answers quoted from a page.
const snippetName = "wa:/"

// readSnippet reads an answer above the results that the engine quotes from a page. The link to the
// page is in an ancestor of the answer.
func (r *reader) readSnippet(n *html.Node) bool {
	var link, heading *html.Node
	block := n
	for range 8 {
		if block.Parent == nil || landmarks[markup.Attr(block.Parent, "id")] {
			break
		}
		block = block.Parent
		if link, heading = sourceIn(block); link != nil {
			break
		}
	}
	if link == nil || r.found.FeaturedSnippet != nil {
		return false
	}
	to, redirect, ok := r.links.Read(markup.Attr(link, "href"))
	found := earshot.FeaturedSnippet{
		Type: "paragraph", Text: cutText(strings.Join(serp.Lines(n), " ")), Title: serp.Line(heading),
		Link: to, RedirectLink: redirect, Domain: webtext.Domain(to),
	}
	if !ok || !r.links.Leads(to) || found.Text == "" || found.Title == "" {
		return false
	}
	items := markup.FindAll(n, func(n *html.Node) bool { return n.DataAtom == atom.Li || n.DataAtom == atom.Tr })
	for _, item := range items {
		line := serp.Line(item)
		if line == "" || len(found.Items) == maxItems {
			continue
		}
		found.Items = append(found.Items, cutText(line))
		found.Type = "list"
		if item.DataAtom == atom.Tr {
			found.Type = "table"
		}
	}
	r.found.FeaturedSnippet = &found
	r.quoted = link
	r.note(earshot.BlockFeaturedSnippet)
	return true
}

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
	"cwos": "calculator", "wob_wc": "weather", "sports-app": "sports", "ucw_lhs_d": "conversion", "NotFQb": "conversion",
	"knowledge-currency__updatable-data-column":     "conversion",
	"knowledge-finance-wholepage__entity-summary":   "finance",
	"knowledge-finance-wholepage-summary-container": "finance",
}

// boxKind returns the type of the engine's own answer in the element, or "".
func boxKind(m marks) string {
	switch {
	case boxIDs[m.id] != "":
		return boxIDs[m.id]
	case m.attrid == "SenseDefinition" || m.attrid == "EntryHeader" || m.attrid == "DictionaryHeader":
		return "definition"
	case m.answers:
		return "other"
	default:
		return ""
	}
}

// readAnswerBox reads an answer of the engine itself.
func (r *reader) readAnswerBox(n *html.Node, kind string) bool {
	lines := slices.Compact(serp.LinesBut(n, func(n *html.Node) bool {
		role := markup.Attr(n, "role")
		return role == "button" || role == "tablist" || role == "menu" || n.DataAtom == atom.Select || n.DataAtom == atom.H2
	}))
	if len(lines) == 0 || r.found.AnswerBox != nil {
		return false
	}
	found := earshot.AnswerBox{Type: kind, Text: cutText(strings.Join(lines, " "))}
	if kind != "other" {
		found.Title = headingIn(n)
	}
	if link := markup.Find(n, r.leadsAway); link != nil {
		found.Link, found.RedirectLink, _ = r.links.Read(markup.Attr(link, "href"))
	}
	r.found.AnswerBox = &found
	r.note(earshot.BlockAnswerBox)
	return true
}

// jobMark is part of the address of a job posting.
const jobMark = "htl;jobs"

// readJob reads a job posting: its title, company, location and site.
func (r *reader) readJob(n *html.Node) bool {
	lines := serp.LinesBut(n, func(n *html.Node) bool {
		role := markup.Attr(n, "role")
		return markup.Attr(n, "aria-hidden") == "true" || role == "dialog" || n.DataAtom == atom.Img || role == "button" && !markup.HasAttr(n, "data-viewer-entrypoint")
	})
	if len(lines) < 2 {
		return false
	}
	job := earshot.JobPosting{Title: lines[0], Company: lines[1]}
	if len(lines) > 2 {
		where, site, _ := strings.Cut(lines[2], "•")
		job.Location = strings.TrimSpace(where)
		job.Source = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(site), "via "))
	}
	address := cmp.Or(markup.Attr(n, "data-share-url"), markup.Attr(n, "href"))
	if to, redirect, ok := r.links.Read(address); ok {
		job.Link, job.RedirectLink = to, redirect
	}
	r.found.Jobs = append(r.found.Jobs, job)
	r.note(earshot.BlockJobs)
	return true
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
	for _, line := range serp.Lines(n) {
		for segment := range strings.SplitSeq(line, "·") {
			segment = strings.TrimSpace(segment)
			stars := starCount.FindStringSubmatch(segment)
			switch {
			case stars != nil && p.Rating == nil:
				p.Rating = webtext.Decimal(stars[1])
				if stars[2] != "" {
					p.Reviews = webtext.Count(stars[2])
				}
			case reviewCount.MatchString(segment):
				p.Reviews = webtext.Count(strings.Trim(segment, "()"))
			case priceLevel.MatchString(segment) && p.PriceLevel == "":
				p.PriceLevel = segment
			case p.Name == "" && hasWords(segment) && !priceLevel.MatchString(segment):
				p.Name = segment
			}
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
