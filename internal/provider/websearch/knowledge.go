package websearch

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/search"
)

// Names of what a panel tells. Facts have names of their own kind, such as
// "kc:/people/person:born".
const (
	panelTitle       = "title"
	panelKind        = "subtitle"
	panelDescription = "description"
	panelImage       = "image"
	panelWebsite     = "visit_official_site"
	panelProfiles    = "social media presence"
)

// factPrefixes begin the names of facts.
var factPrefixes = []string{"kc:/", "ss:/", "hw:/", "okra"}

// readKnowledge reads the panel about the thing that was searched for: what
// stands beside the results, each part with its name.
func (r *reader) readKnowledge(n *html.Node) {
	if r.found.knowledge != nil {
		return
	}
	var k earshot.KnowledgeGraph
	for _, part := range search.FindAll(n, func(n *html.Node) bool { return search.HasAttr(n, "data-attrid") }) {
		r.readPanelPart(&k, part, search.Attr(part, "data-attrid"))
	}
	if k.Title == "" {
		k.Title = r.subject
	}
	if k.Title == "" || k.Description == "" && len(k.Attributes) == 0 {
		return
	}
	r.found.knowledge = &k
}

func (r *reader) readPanelPart(k *earshot.KnowledgeGraph, n *html.Node, name string) {
	switch {
	case name == panelTitle:
		k.Title = cmp.Or(k.Title, search.Line(n)) // another may follow, of something else with the same name
	case name == panelKind:
		k.Type = cmp.Or(k.Type, search.Line(n))
	case name == panelDescription && k.Description == "":
		r.readDescription(k, n)
	case name == panelImage:
		k.ImageURL = search.Image(n)
	case name == panelWebsite:
		if link := search.Find(n, search.IsLink); link != nil {
			if to, _, ok := r.links.Read(search.Attr(link, "href")); ok {
				k.Website = to
			}
		}
	case strings.HasSuffix(name, panelProfiles):
		for _, link := range search.FindAll(n, search.IsLink) {
			if to, _, ok := r.links.Read(search.Attr(link, "href")); ok && search.Line(link) != "" {
				k.Profiles = append(k.Profiles, earshot.KnowledgeProfile{Name: search.Line(link), Link: to})
			}
		}
	case isFact(name):
		if fact, value, found := strings.Cut(search.Line(n), ":"); found && strings.TrimSpace(value) != "" {
			k.Attributes = append(k.Attributes, earshot.KnowledgeAttribute{
				Name: strings.TrimSpace(fact), Value: strings.TrimSpace(value),
			})
		}
	}
}

// readDescription reads the text, without its heading, and who wrote it.
func (r *reader) readDescription(k *earshot.KnowledgeGraph, n *html.Node) {
	k.Description = strings.Join(search.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.A || n.DataAtom == atom.H3 || n.DataAtom == atom.H2
	}), " ")
	if link := search.Find(n, search.IsLink); link != nil {
		k.Source = search.Line(link)
	}
}

func isFact(name string) bool {
	for _, prefix := range factPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
