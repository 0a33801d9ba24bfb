package chatpage

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// takeSponsored adds the sponsored entries of a turn to the ads and removes them from the turn, so
// that they are neither text nor sources. A page marks them by the link or with a label.
func (r *turnReader) takeSponsored(turn *html.Node) {
	links := r.sponsoredIn(turn, nil)
	for _, link := range links[:min(len(links), maxSponsored)] {
		if markup.Contains(turn, link) { // not removed with another link
			r.takeEntry(link)
		}
	}
}

// Limits that bound the time that a hostile page takes.
const (
	maxSponsored = 30 // links, and labels, that are read
	maxLevels    = 6  // levels between a link or a label and its entry
)

// sponsoredIn appends the links of sponsored entries below n, except those on cards.
func (r *turnReader) sponsoredIn(n *html.Node, links []*html.Node) []*html.Node {
	for child := n.FirstChild; child != nil && len(links) < maxSponsored; child = child.NextSibling {
		switch {
		case child.Type != html.ElementNode || markup.Unseen(child):
		case r.page.marks.of(child)&(partAd|partProduct|partInlineProduct) != 0:
		case isSponsoredLink(child):
			links = append(links, child)
		case isLabel(child) && r.labels < maxSponsored:
			r.labels++
			links = append(links, r.labelled(child)...)
		default:
			links = r.sponsoredIn(child, links)
		}
	}
	return links
}

// isSponsoredLink reports whether the element is a link that its page marks as sponsored, or that
// counts a click on an ad.
func isSponsoredLink(n *html.Node) bool {
	if !markup.IsLink(n) {
		return false
	}
	return slices.Contains(strings.Fields(markup.Attr(n, "rel")), "sponsored") || CountsClick(markup.Attr(n, "href"))
}

// CountsClick reports whether a link of a search engine counts a click on an ad.
func CountsClick(address string) bool {
	if !strings.Contains(address, "/aclk") {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Path, "/aclk")
}

// isLabel reports whether the element says that something is sponsored, either to screen readers or
// as its only text. An advertiser's name may be before it.
func isLabel(n *html.Node) bool {
	if name := markup.Attr(n, "aria-label"); name != "" && isLabelText(name) {
		return true
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th || n.FirstChild == nil || n.FirstChild != n.LastChild || n.FirstChild.Type != html.TextNode {
		return false
	}
	return isLabelText(n.FirstChild.Data)
}

func isLabelText(text string) bool {
	if len(text) > 100 {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, isDot) {
		if labels[strings.ToLower(strings.TrimSpace(part))] {
			return true
		}
	}
	return false
}

func isDot(r rune) bool { return r == '·' || r == '•' || r == '|' }

// labels are the words with which sites label sponsored entries, in lower case. Words that also mean
// something else, such as the German "Anzeige" (a display), are left out.
var labels = map[string]bool{
	"sponsored": true, "sponsored result": true, "sponsored results": true, "gesponsert": true, "sponsorisé": true, "commandité": true,
	"patrocinado": true, "sponsorizzato": true, "sponsorizzati": true, "gesponsord": true, "sponsrad": true, "sponsrat": true,
	"sponsoreret": true, "sponset": true, "sponsoroitu": true, "sponsorowane": true, "sponzorováno": true, "sponzorované": true,
	"szponzorált": true, "sponsorizat": true, "sponsorlu": true, "sponsorizirano": true, "спонсировано": true, "реклама": true,
	"спонсирано": true, "χορηγούμενο": true, "ממומן": true, "ממומנות": true, "مُموَّل": true, "إعلان مُموَّل": true, "प्रायोजित": true,
	"ได้รับการสนับสนุน": true, "được tài trợ": true, "bersponsor": true, "disponsori": true, "スポンサー": true, "広告": true, "스폰서": true,
	"광고": true, "赞助": true, "赞助商搜索结果": true, "赞助内容": true, "贊助": true, "贊助商搜尋結果": true, "贊助內容": true,
}

// labelled returns the links that a label belongs to: all links in the smallest element around the
// label that has any.
func (r *turnReader) labelled(label *html.Node) []*html.Node {
	n := label
	for range maxLevels {
		if n == nil || r.page.marks.of(n)&(partTurn|partMessage|partBody) != 0 {
			return nil
		}
		if markup.IsLink(n) {
			return []*html.Node{n}
		}
		if links := markup.FindAll(n, markup.IsLink); len(links) > 0 {
			return links
		}
		n = n.Parent
	}
	return nil
}

// takeEntry makes an ad of the entry around a link. A link within a sentence stays part of the text.
func (r *turnReader) takeEntry(link *html.Node) {
	to, ok := r.destination(link, "href")
	if !ok {
		return
	}
	entry := r.entryOf(link)
	ad := earshot.Ad{Position: len(r.answer.Ads) + 1, Block: "answer", Type: "text", URL: to, ImageURL: r.first(entry, atom.Img, "src")}
	if !CountsClick(to) {
		ad.Domain = webtext.Domain(to)
	}
	var lines []string
	for line := range strings.Lines(markup.PlainText(entry)) {
		line = webtext.Line(line)
		price := webtext.Price(line, r.want.Country)
		switch {
		case line == "":
		case isLabelText(line):
			brand, _, _ := strings.Cut(strings.Join(strings.FieldsFunc(line, isDot), "\n"), "\n")
			if !isLabelText(brand) {
				ad.Brand = webtext.Line(brand)
			}
		case ad.Price == nil && price != nil && price.Value != nil && price.Currency != "" && len(line) < 20:
			ad.Type, ad.Price = "shopping", price
		default:
			lines = append(lines, line)
		}
	}
	if listed := r.fields(link); listed.text("source-title") != "" { // an item of the list of sources
		lines = []string{listed.text("source-title"), listed.text("source-snippet")}
	} else if first, _, _ := strings.Cut(markup.PlainText(headingIn(entry, link)), "\n"); first != "" {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == first })
		lines = slices.Insert(lines, 0, first)
	}
	if len(lines) > 0 {
		ad.Title, ad.Description = lines[0], strings.TrimSpace(strings.Join(lines[1:], " "))
	}
	r.answer.Ads = append(r.answer.Ads, ad)
	if entry != link || !isInline(link) {
		markup.Remove(entry)
		return
	}
	markup.RemoveAttr(link, "href")
}

// takeProduct makes an ad of a product if its card is marked as sponsored, and reports whether it is.
func (r *turnReader) takeProduct(card *html.Node, p earshot.Product) bool {
	if markup.Any(card, func(n *html.Node) bool { return isSponsoredLink(n) || isLabel(n) }) == nil {
		return false
	}
	ad := earshot.Ad{
		Position: len(r.answer.Ads) + 1, Block: "answer", Type: "shopping", Title: p.Title, URL: p.URL, Description: p.Description,
		Price: p.Price, OldPrice: p.OldPrice, Merchant: p.Merchant,
	}
	if !CountsClick(p.URL) {
		ad.Domain = webtext.Domain(p.URL)
	}
	if len(p.Images) > 0 {
		ad.ImageURL = p.Images[0]
	}
	if ad.URL != "" {
		r.answer.Ads = append(r.answer.Ads, ad)
	}
	return true
}

// headingIn returns the heading of an entry, or its link.
func headingIn(entry, link *html.Node) *html.Node {
	return cmp.Or(markup.Any(entry, func(n *html.Node) bool {
		return markup.Attr(n, "role") == "heading" || len(n.Data) == 2 && n.Data[0] == 'h' && n.DataAtom != atom.Hr
	}), link)
}

// entryOf returns the element with everything that belongs to a sponsored link: the item of a list,
// or the smallest element with a label, or else the largest element without other text.
func (r *turnReader) entryOf(link *html.Node) *html.Node {
	text := textLength(link)
	entry, n := link, link
	for range maxLevels {
		around := n.Parent
		if around == nil || r.page.marks.of(around)&(partTurn|partMessage|partBody|partWidget) != 0 || isInline(n) || markup.Any(around, isOtherThan(link)) != nil {
			break
		}
		if isItem(around) || markup.Any(around, isLabel) != nil {
			return around
		}
		if textLength(around) == text {
			entry = around
		}
		n = around
	}
	return entry
}

// isItem reports whether the element is an item of a list, or an article of its own.
func isItem(n *html.Node) bool {
	role := markup.Attr(n, "role")
	return n.DataAtom == atom.Li || n.DataAtom == atom.Article || n.DataAtom == atom.Aside || role == "listitem" || role == "article"
}

// isInline reports whether there is text next to the element.
func isInline(n *html.Node) bool {
	return n.Parent != nil && slices.ContainsFunc(slices.Collect(n.Parent.ChildNodes()), func(child *html.Node) bool {
		return child.Type == html.TextNode && webtext.Line(child.Data) != ""
	})
}

// isOtherThan returns a predicate for links that lead to another page than link.
func isOtherThan(link *html.Node) func(*html.Node) bool {
	return func(n *html.Node) bool {
		return markup.IsLink(n) && markup.Attr(n, "href") != markup.Attr(link, "href")
	}
}
