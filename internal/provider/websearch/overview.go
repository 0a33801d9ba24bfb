package websearch

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/search"
	"earshot/internal/upstream"
)

// Where an overview is, and its parts.
const (
	overviewName  = "SrpGenSumSummary" // since 2024
	overviewTree  = "aimc"             // since 2025, also in AI mode
	overviewText  = "main-col"
	overviewAside = "rhs-col"
)

// isOverview tells whether the element is an AI overview: by its name, or since
// it tells the language of its text and how high that is before it is unfolded
// (2025 on).
func isOverview(m marks) bool {
	return m.attrid == overviewName || m.container == overviewTree || m.language != "" && m.height != ""
}

// readOverview reads the AI overview of the page, if it is wanted.
func (r *reader) readOverview(n *html.Node) {
	if !r.want.overview || r.found.overview != nil {
		return
	}
	read, err := overviewIn(n, r.links, r.want.markdown)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.found.overview = read
}

// parseOverview reads an overview that was loaded on demand. It gives nil where
// there is none.
func parseOverview(document []byte, links search.Links) (found *earshot.Answer, err error) {
	err = search.ReadPart(document, func(root *html.Node) error {
		n := search.Find(root, func(n *html.Node) bool { return isOverview(marksOf(n)) })
		if n == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "no overview")
		}
		found, err = overviewIn(n, links, true)
		return err
	})
	return found, err
}

// overviewIn reads an overview; nil where it says nothing. It changes the node.
func overviewIn(n *html.Node, links search.Links, markdown bool) (*earshot.Answer, error) {
	if err := answer.CheckSize(n); err != nil {
		return nil, err
	}
	removeUnseen(n)
	o := overview{links: links, numbered: map[string]answer.Citation{}, named: map[string]answer.Citation{}}
	body := part(n, overviewText)
	if body == nil {
		body = n
	}
	o.readSources(n, body)
	o.readChips(body)
	text := layOut(body)
	found := &earshot.Answer{Text: answer.PlainText(text)}
	if found.Text == "" {
		return nil, nil //nolint:nilnil // an overview without text is none
	}
	if model := search.Attr(n, "data-model"); model != "" {
		found.Model = &model
	}
	o.sources.Fill(found)
	found.Entities = entities(body)
	if !markdown {
		return found, nil
	}
	o.showChips()
	marked, err := answer.Markdown(body)
	if err != nil {
		return nil, upstream.Fail(earshot.ReasonUnreadable, "%w", err)
	}
	found.Markdown = marked
	return found, nil
}

// entities are the brands and the like that the text marks, each once.
func entities(body *html.Node) earshot.List[earshot.Entity] {
	var found earshot.List[earshot.Entity]
	for _, n := range search.FindAll(body, func(n *html.Node) bool { return search.Attr(n, "data-attrid") == "entity" }) {
		e := earshot.Entity{Name: search.Line(n), Type: answer.Line(search.Attr(n, "data-entity-type"))}
		if e.Name != "" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// overview collects what an overview cites.
type overview struct {
	links    search.Links
	sources  answer.Sources
	numbered map[string]answer.Citation // by the number that chips refer to
	named    map[string]answer.Citation // by the name of the site, for chips without numbers
	chips    []chip
}

// chip is a citation in the text.
type chip struct {
	node  *html.Node
	cites []answer.Citation
}

func part(n *html.Node, name string) *html.Node {
	return search.Find(n, func(n *html.Node) bool { return search.Attr(n, "data-container-id") == name })
}

// readSources reads the list of pages beside the text: each a link, its title,
// what it says, and its site, in this order.
func (o *overview) readSources(n, body *html.Node) {
	aside := part(n, overviewAside)
	if aside == nil || aside == body {
		return
	}
	for _, item := range search.FindAll(aside, func(n *html.Node) bool { return search.HasAttr(n, "data-src-id") }) {
		link := search.Find(item, search.IsLink)
		if link == nil {
			continue
		}
		to, redirect, ok := o.links.Read(search.Attr(link, "href"))
		if !ok || !o.links.Leads(to) {
			continue
		}
		source := earshot.Source{URL: to, RedirectLink: redirect}
		lines := search.LinesBut(item, func(n *html.Node) bool { return search.Attr(n, "role") == "button" })
		if len(lines) > 0 {
			source.Label = lines[0]
		}
		if len(lines) > 2 {
			source.Description = lines[1]
		}
		o.sources.Add(source)
		cited := answer.Citation{Source: source}
		if len(lines) > 1 {
			cited.Label = lines[len(lines)-1]
			o.named[cited.Label] = cited
		}
		o.numbered[search.Attr(item, "data-src-id")] = cited
	}
}

// readChips notes the chips in the text and what they cite.
func (o *overview) readChips(body *html.Node) {
	for _, node := range search.FindAll(body, func(n *html.Node) bool { return search.HasAttr(n, "data-icl-uuid") }) {
		c := chip{node: node}
		label, _, _ := strings.Cut(search.Line(node), " +")
		for number := range strings.SplitSeq(search.Attr(node, "data-src-ids"), ",") {
			if cited, known := o.numbered[number]; known {
				c.cites = append(c.cites, cited)
			}
		}
		if cited, known := o.named[label]; known && len(c.cites) == 0 {
			c.cites = append(c.cites, cited)
		}
		o.sources.Chip(c.cites)
		o.chips = append(o.chips, c)
	}
	for _, a := range search.FindAll(body, search.IsLink) {
		to, redirect, ok := o.links.Read(search.Attr(a, "href"))
		if !ok || !o.links.Leads(to) {
			continue
		}
		setAttr(a, "href", to)
		if name := search.Line(a); name != "" {
			o.sources.Add(earshot.Source{URL: to, RedirectLink: redirect, Label: name})
		}
	}
}

// showChips puts links in the place of chips.
func (o *overview) showChips() {
	for _, c := range o.chips {
		shown := &html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span}
		text := func(s string) { shown.AppendChild(&html.Node{Type: html.TextNode, Data: s}) }
		for i, cite := range c.cites {
			text(map[bool]string{true: "(", false: ", "}[i == 0])
			a := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A}
			setAttr(a, "href", cite.Source.URL)
			a.AppendChild(&html.Node{Type: html.TextNode, Data: cmp.Or(cite.Label, answer.Domain(cite.Source.URL))})
			shown.AppendChild(a)
		}
		if len(c.cites) > 0 {
			text(")")
		}
		if c.node.Parent != nil {
			c.node.Parent.InsertBefore(shown, c.node)
			c.node.Parent.RemoveChild(c.node)
		}
	}
}

// layOut makes headings of what is one by its role, and paragraphs of the text
// between lists, so that text and Markdown are laid out as the page is.
func layOut(body *html.Node) *html.Node {
	for n := range body.Descendants() {
		switch {
		case n.Type != html.ElementNode || n.DataAtom != atom.Div:
		case search.Attr(n, "role") == "heading":
			n.Data, n.DataAtom = "h3", atom.H3
		case search.HasAttr(n, "data-sfc-cp"):
			n.Data, n.DataAtom = "p", atom.P
		}
	}
	return body
}

// removeUnseen takes out what no visitor sees.
func removeUnseen(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.CommentNode, child.Type == html.ElementNode && search.Unseen(child):
			n.RemoveChild(child)
		default:
			removeUnseen(child)
		}
		child = next
	}
}

func setAttr(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}
