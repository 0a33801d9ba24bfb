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

// title is a link with a title: a web result, a thread in a forum, or a card.
type title struct {
	link, heading *html.Node
	section       string // the heading of its section
	list          int    // the number of headings before it
	at            int    // the index of its element in document order
	click         serp.Click
}

// deepTitle returns the title of a card in a list with a heading of its own.
func deepTitle(link *html.Node) *html.Node {
	return markup.Find(link, func(n *html.Node) bool { return markup.IsHeading(n, "4") })
}

// addTitle records a link with a title. It returns false if heading is nil.
func (r *reader) addTitle(link, heading *html.Node, click serp.Click) bool {
	if heading == nil {
		return false
	}
	if len(r.titles) < maxTitles {
		r.titles = append(r.titles, title{link: link, heading: heading, section: r.section, list: r.lists, at: r.at, click: click})
	}
	return true
}

// titleIn returns the title in a link. It is a heading or, in a link that is a result by its click,
// the first line. It is the last line if a site and an address precede it (mobile).
func titleIn(link *html.Node, click serp.Click) *html.Node {
	heading := serp.Title(link)
	if heading == nil && isStoryClick(click) {
		heading = deepTitle(link)
	}
	if heading == nil && click.IsListed() && titleLine(link) != "" {
		return link // the link is the heading
	}
	if heading != nil || !click.IsResult() && !isStoryClick(click) {
		return heading
	}
	lines := markup.FindAll(link, func(n *html.Node) bool { return len(serp.Lines(n)) == 1 })
	if len(lines) == 0 {
		return nil
	}
	if isStoryClick(click) {
		return slices.MaxFunc(lines, func(a, b *html.Node) int { return cmp.Compare(len(serp.Line(a)), len(serp.Line(b))) })
	}
	hasAddress := func(n *html.Node) bool { return isAddress(serp.Line(n)) }
	if last := lines[len(lines)-1]; !hasAddress(last) && slices.ContainsFunc(lines, hasAddress) {
		return last
	}
	return lines[0]
}

// linkWithin records a title that contains its link: a sitelink in a table, or a result in a layout
// in which no link contains a title.
func (r *reader) linkWithin(heading *html.Node) bool {
	link := markup.Find(heading, markup.IsLink)
	if link == nil {
		return false
	}
	click := serp.ClickOf(link)
	if click.IsResult() {
		return r.addTitle(link, heading, click)
	}
	if len(r.within) < maxTitles {
		r.within = append(r.within, title{link: link, heading: heading, section: r.section, list: r.lists, at: r.at, click: click})
	}
	return false
}

// landmarks are the ids of the elements that contain all results. No single result is as large.
var landmarks = map[string]bool{"rso": true, "search": true, "res": true, "main": true, "center_col": true, "rcnt": true, "botstuff": true, "bres": true, "taw": true}

// results turns the links with titles into results. It runs after the walk has found all blocks.
func (r *reader) results() {
	if len(r.titles) == 0 {
		r.titles = r.within
	}
	r.read = map[*html.Node]int{}
	count := func(n *html.Node) {
		for p := n.Parent; p != nil; p = p.Parent {
			r.read[p]++
		}
	}
	for _, block := range r.blocks {
		count(block)
	}
	for _, t := range r.titles {
		count(t.link)
	}
	r.missedJobs()
	for _, t := range r.titles {
		if t.link == r.quoted {
			continue
		}
		block := t.link
		for p := block.Parent; p != nil && r.read[p] == 1 && !landmarks[markup.Attr(p, "id")] && p.DataAtom != atom.Body; p = p.Parent {
			block = p
		}
		r.result(t, block)
	}
}

// result reads the result with a title. block is the largest element without another title.
func (r *reader) result(t title, block *html.Node) {
	link, redirect, ok := r.links.Read(markup.Attr(t.link, "href"))
	name := serp.Line(t.heading)
	if !ok || !r.links.Leads(link) || name == "" {
		return
	}
	if t.click.IsListed() {
		r.addVideo(block, t, t.click == serp.ClickShort)
		return
	}
	shown, marked := displayedLink(t, block)
	if !t.isResult(shown, marked) {
		if !r.discussion(t, name, link, redirect) {
			r.addCard(t, block, link, redirect)
		}
		return
	}
	found := earshot.OrganicResult{
		Title:         name,
		Link:          link,
		RedirectLink:  redirect,
		DisplayedLink: shown,
		Domain:        webtext.Domain(link),
	}
	var others []*html.Node
	found.Snippet, found.Date, others = snippet(t, block)
	found.Sitelinks = r.sitelinks(t, block, link)
	r.readRich(&found, t, block, others)
	if !slices.ContainsFunc(r.found.OrganicResults, func(o earshot.OrganicResult) bool { return o.Title == found.Title && o.Link == found.Link }) {
		r.noteAt(earshot.BlockOrganic, t.at, "")
	}
	r.found.OrganicResults = append(r.found.OrganicResults, found)
}

// isResult reports whether the title belongs to a web result: by its click, because it is an h3
// element, or because the address of a page is next to it. Cards of recipes, news and posts have
// titles too, with clicks of their own.
func (t title) isResult(shown string, marked bool) bool {
	switch {
	case t.click == serp.ClickAd, isStoryClick(t.click), markup.IsHeading(t.heading, "4"):
		return false
	case t.click.IsResult(), t.heading.DataAtom == atom.H3:
		return true
	case t.click == serp.ClickNone && marked:
		return isAddress(shown)
	default:
		return isPath(shown)
	}
}

// displayedLink returns the address as displayed in the result, and whether it is marked as an
// address. It is in the link, or elsewhere in the block if the title contains the link.
func displayedLink(t title, block *html.Node) (shown string, marked bool) {
	isMarked := func(n *html.Node) bool { return n.DataAtom == atom.Cite || markup.Attr(n, "role") == "text" }
	if address := markup.Find(t.link, isMarked); address != nil {
		return serp.Line(address), true
	}
	if markup.Contains(t.heading, t.link) {
		address := markup.Find(block, isMarked)
		return serp.Line(address), address != nil
	}
	// Layouts without scripts do not mark the address: it is the last line.
	return lastOf(serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })), false
}

var address = regexp.MustCompile(`://| [›‹] |^[\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}\b`)

// isAddress reports whether the text looks like the address of a page.
func isAddress(text string) bool { return address.MatchString(text) }

// isPath reports whether the text is an address with more than the name of a site.
func isPath(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, " › ") || strings.Contains(text, " ‹ ") // the last one is for right-to-left text
}

// snippet returns the text below the title, the date before it, and the other marked parts of the
// result. If the parts of the result are marked, the snippet is the first part with text that is not
// a link. Otherwise it is the longest line.
func snippet(t title, block *html.Node) (text, date string, others []*html.Node) {
	notText := func(n *html.Node) bool {
		return n == t.link || n == t.heading || n.DataAtom == atom.Cite || n.DataAtom == atom.A || n.DataAtom == atom.Table ||
			markup.Attr(n, "role") == "button"
	}
	parts := markup.FindAll(block, markup.Has("data-sncf"))
	for i, part := range parts {
		switch text := strings.Join(serp.LinesBut(part, notText), " "); {
		case serp.MayBeDate(text) && inYear.MatchString(text):
			date = text
		case hasWords(text):
			text, before := splitDate(part, serp.Line(part))
			return text, cmp.Or(before, date), slices.Delete(parts, i, i+1)
		}
	}
	if parts != nil {
		return "", date, nil
	}
	text, date = splitDate(block, longest(serp.LinesBut(block, notText)))
	return text, date, nil
}

// hasWords reports whether the text has letters or digits.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// splitDate splits a snippet into the text and the date at its beginning. The date is an element of
// its own, has a digit, and is followed by a dash, or by a dot in the layout without scripts.
func splitDate(part *html.Node, text string) (rest, date string) {
	for _, mark := range []string{" — ", " · "} {
		before, after, found := strings.Cut(text, mark)
		if !found || !serp.MayBeDate(before) || notDate.MatchString(before) && !inYear.MatchString(before) {
			continue
		}
		own := markup.Find(part, func(n *html.Node) bool { return n.DataAtom == atom.Span && serp.Line(n) == before })
		if own != nil {
			return after, before
		}
	}
	return text, ""
}

// notDate matches a range or a value that stands where the date is: "Results 1 - 24 of 38",
// "Rating: 4.2".
var notDate = regexp.MustCompile(`\d\s[-–]\s\d|:\s\d`)

// sitelinks returns the other links in the result to the same site.
func (r *reader) sitelinks(t title, block *html.Node, link string) []earshot.SearchSublink {
	var found []earshot.SearchSublink
	seen := map[string]bool{pageOf(link): true}
	for _, a := range markup.FindAll(block, func(n *html.Node) bool { return n == t.link || markup.IsLink(n) }) {
		if a == t.link {
			continue
		}
		to, redirect, ok := r.links.Read(markup.Attr(a, "href"))
		name := serp.Line(a)
		if !ok || name == "" || isCount(name, link, to) || !sameSite(webtext.Domain(to), webtext.Domain(link)) || seen[pageOf(to)] {
			continue
		}
		seen[pageOf(to)] = true
		found = append(found, earshot.SearchSublink{Title: name, Link: to, RedirectLink: redirect})
	}
	return found
}

var counted = regexp.MustCompile(`^\d[\d.,]*\+?\s\pL+$`)

// isCount reports whether the link only shows the number of answers in a thread. Such a link leads
// further into the same page.
func isCount(name, page, to string) bool {
	return counted.MatchString(name) && strings.HasPrefix(pageOf(to), strings.TrimSuffix(pageOf(page), "/"))
}

// sameSite reports whether the domains are equal or one is a subdomain of the other.
func sameSite(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// pageOf returns the link without a position in the page or video.
func pageOf(link string) string {
	page, _, _ := strings.Cut(link, "#")
	page, _, _ = strings.Cut(page, "&t=")
	return page
}
