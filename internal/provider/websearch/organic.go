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

// title is a link that has a title: a result, or a thread in a forum.
type title struct {
	link, heading *html.Node
	section       string // the heading that stood before it
	list          int    // how many headings stood before it
	at            int    // how many elements
	click         serp.Click
}

// deepTitle is the title of a card in a list that has a heading of its own.
func deepTitle(link *html.Node) *html.Node {
	return markup.Find(link, func(n *html.Node) bool { return markup.IsHeading(n, "4") })
}

// addTitle notes a link with a title.
func (r *reader) addTitle(link, heading *html.Node, click serp.Click) bool {
	if heading == nil {
		return false
	}
	if len(r.titles) < maxTitles {
		r.titles = append(r.titles, title{link: link, heading: heading, section: r.section, list: r.lists, at: r.at, click: click})
	}
	return true
}

// titleIn finds the title in a link: a heading or, in what the engine marks as a
// result, the line that stands first, or last where site and address stand before
// it (mobile).
func titleIn(link *html.Node, click serp.Click) *html.Node {
	heading := serp.Title(link)
	if heading == nil && isStoryClick(click) {
		heading = deepTitle(link)
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
	last := lines[len(lines)-1]
	if isAddress(serp.Line(last)) {
		return lines[0]
	}
	for _, line := range lines {
		if isAddress(serp.Line(line)) {
			return last
		}
	}
	return lines[0]
}

// linkWithin notes a title that has its link in it, not around it. Such are the
// sitelinks of a table, and results of layouts where no title is in a link.
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

// landmarks are the parts of the page that hold all results; no result is as
// large.
var landmarks = map[string]bool{"rso": true, "search": true, "res": true, "main": true, "center_col": true, "rcnt": true, "botstuff": true, "bres": true}

// results makes results of the links with titles, once the walk has found all
// of them and all other blocks.
func (r *reader) results() {
	if len(r.titles) == 0 {
		r.titles = r.within
	}
	// How many blocks and titles there are in a node. Each has a few of its own around it.
	within := make(map[*html.Node]int, 4*(len(r.blocks)+len(r.titles)))
	count := func(n *html.Node) {
		for p := n.Parent; p != nil; p = p.Parent {
			within[p]++
		}
	}
	for _, block := range r.blocks {
		count(block)
	}
	for _, t := range r.titles {
		count(t.link)
	}
	r.unread(within)
	for _, t := range r.titles {
		if t.link == r.quoted {
			continue
		}
		block := t.link
		for p := block.Parent; p != nil && within[p] == 1 && !landmarks[markup.Attr(p, "id")] && p.DataAtom != atom.Body; p = p.Parent {
			block = p
		}
		r.result(t, block)
	}
}

// result reads what belongs to one title: block is the largest element that
// holds no other.
func (r *reader) result(t title, block *html.Node) {
	link, redirect, ok := r.links.Read(markup.Attr(t.link, "href"))
	name := serp.Line(t.heading)
	if !ok || !r.links.Leads(link) || name == "" {
		return
	}
	shown, marked := displayedLink(t, block)
	if !t.isResult(shown, marked) {
		if !r.discussion(t, name, link, redirect) {
			r.addCard(t, link, redirect)
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
	found.Snippet, found.Date = snippet(t, block)
	found.Sitelinks = r.sitelinks(t, block, link)
	if !slices.ContainsFunc(r.found.organic, func(o earshot.OrganicResult) bool { return o.Title == found.Title && o.Link == found.Link }) {
		r.noteAt(earshot.BlockOrganic, t.at, "")
	}
	r.found.organic = append(r.found.organic, found)
}

// isResult tells whether the title is one of a web result: the engine marks it so,
// or it is a heading element, or the address of a page stands with it. Cards of
// recipes, news and posts have titles too, and marks of their own.
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

// displayedLink is the address as the result shows it, and whether it is marked as
// such. It stands in the link, or elsewhere where the title is around the link.
func displayedLink(t title, block *html.Node) (shown string, marked bool) {
	isMarked := func(n *html.Node) bool { return n.DataAtom == atom.Cite || markup.Attr(n, "role") == "text" }
	if address := markup.Find(t.link, isMarked); address != nil {
		return serp.Line(address), true
	}
	if contains(t.heading, t.link) {
		address := markup.Find(block, isMarked)
		return serp.Line(address), address != nil
	}
	// Layouts without scripts mark it in no way: it is the last line.
	lines := serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading })
	if len(lines) == 0 {
		return "", false
	}
	return lines[len(lines)-1], false
}

var address = regexp.MustCompile(`://| [›‹] |^[\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}\b`)

// isAddress tells whether the text looks like that of a page.
func isAddress(text string) bool {
	return strings.ContainsAny(text, ".:›‹") && address.MatchString(text)
}

// isPath tells whether the text is more than the name of a site.
func isPath(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, " › ") || strings.Contains(text, " ‹ ") // from right to left
}

// snippet is the text below the title, and the date that stands before it. Where
// the engine marks the parts of a result, it is the first with text that is no
// link; elsewhere it is the longest line.
func snippet(t title, block *html.Node) (text, date string) {
	notText := func(n *html.Node) bool {
		return n == t.link || n == t.heading || n.DataAtom == atom.Cite || n.DataAtom == atom.A || n.DataAtom == atom.Table ||
			markup.Attr(n, "role") == "button"
	}
	parts := markup.FindAll(block, func(n *html.Node) bool { return markup.HasAttr(n, "data-sncf") })
	for _, part := range parts {
		switch text := strings.Join(serp.LinesBut(part, notText), " "); {
		case serp.MayBeDate(text) && inYear.MatchString(text):
			date = text // and nothing else
		case hasWords(text):
			text, before := splitDate(part, serp.Line(part))
			return text, cmp.Or(before, date)
		}
	}
	if parts != nil {
		return "", date
	}
	for _, line := range serp.LinesBut(block, notText) {
		if len(line) > len(text) {
			text = line
		}
	}
	return splitDate(block, text)
}

// hasWords tells whether text is more than what stands between links.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// splitDate takes the date off the beginning of a snippet. It is an element of
// its own, has a digit, and a dash follows, or a dot where there are no scripts.
func splitDate(part *html.Node, text string) (rest, date string) {
	for _, mark := range []string{" — ", " · "} {
		before, after, found := strings.Cut(text, mark)
		if !found || !serp.MayBeDate(before) {
			continue
		}
		own := markup.Find(part, func(n *html.Node) bool { return n.DataAtom == atom.Span && serp.Line(n) == before })
		if own != nil {
			return after, before
		}
	}
	return text, ""
}

// sitelinks are the other links of the result to the same site.
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

// isCount tells whether what looks like a sitelink only says how many answers a
// thread has: it leads further into the same page.
func isCount(name, page, to string) bool {
	return name[0] <= '9' && counted.MatchString(name) && strings.HasPrefix(pageOf(to), strings.TrimSuffix(pageOf(page), "/"))
}

// sameSite tells whether one domain is the other, or one below it.
func sameSite(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// pageOf is the link without what points into the page, or into a video.
func pageOf(link string) string {
	page, _, _ := strings.Cut(link, "#")
	page, _, _ = strings.Cut(page, "&t=")
	return page
}
