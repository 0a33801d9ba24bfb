package websearch

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// Names of what a panel tells. Facts have names of their own kind, such as
// "kc:/people/person:born".
const (
	panelTitle       = "title"
	panelKind        = "subtitle"
	panelDescription = "description"
	panelImage       = "image"
	panelPictures    = "VisualDigestFirstImageResult" // above the results (since 2023)
	panelSummary     = "kc:/local:one line summary"   // what a place is
	panelWebsite     = "visit_official_site"
	panelProfiles    = "social media presence"
)

// factPrefixes begin the names of facts.
var factPrefixes = []string{"kc:/", "ss:/", "hw:/", "okra"}

// readKnowledge reads the panel about the thing that was searched for: what
// stands beside the results, each part with its name. Where the page as a whole
// is about the thing, its title and what it is stand above the results.
func (r *reader) readKnowledge(n *html.Node) {
	if r.found.knowledge != nil {
		return
	}
	var k earshot.KnowledgeGraph
	for _, part := range markup.FindAll(n, func(n *html.Node) bool { return markup.HasAttr(n, "data-attrid") }) {
		r.readPanelPart(&k, part, markup.Attr(part, "data-attrid"))
	}
	k.Title = cmp.Or(serp.Line(r.names[panelTitle]), k.Title)
	if k.Title == "" || k.Description == "" && len(k.Attributes) == 0 {
		return
	}
	for _, name := range []string{panelKind, panelWebsite} {
		if part := r.names[name]; part != nil {
			r.readPanelPart(&k, part, name)
		}
	}
	if k.ImageURL == "" {
		k.ImageURL = r.picture(r.names[panelImage])
	}
	if k.ImageURL == "" {
		k.ImageURL = r.picture(r.names[panelPictures])
	}
	if k.ImageURL == "" {
		k.ImageURL = r.picture(markup.Find(n, isPanelPicture))
	}
	if r.names[panelKind] == nil { // of a place
		if k.Website == "" {
			k.Website, k.RedirectLink = r.button(n)
		}
		if k.ImageURL == "" {
			k.ImageURL = r.photo(n)
		}
	}
	r.found.knowledge = &k
	r.noteAt(earshot.BlockKnowledgeGraph, cmp.Or(r.panelAt, r.at), "")
}

// readWhole reads the panel of a page that as a whole is about a thing: its parts
// stand between the results, on mobile devices above all.
func (r *reader) readWhole(root *html.Node) {
	if r.found.knowledge == nil && r.names[panelTitle] != nil && r.names[panelDescription] != nil {
		r.readKnowledge(root)
	}
}

// button is where the first button of a panel leads that is a link to elsewhere, and
// the redirect that was served for it.
func (r *reader) button(panel *html.Node) (destination, redirect string) {
	link := markup.Find(panel, func(n *html.Node) bool {
		return markup.IsLink(n) && markup.Attr(n, "role") == "button" && r.leadsAway(n)
	})
	if link == nil {
		return "", ""
	}
	destination, redirect, _ = r.links.Read(markup.Attr(link, "href"))
	return destination, redirect
}

// photo is the picture at the head of the panel of a place, "" where that is its map.
func (r *reader) photo(panel *html.Node) string {
	first := markup.Find(panel, func(n *html.Node) bool { return n.DataAtom == atom.Img })
	if first == nil || markup.Attr(first, "id") == "lu_map" || strings.Contains(markup.Attr(first, "src"), "/maps/") {
		return ""
	}
	return r.picture(first.Parent)
}

// isPanelPicture tells whether the element is a picture of the thing by its name.
func isPanelPicture(n *html.Node) bool {
	name := strings.ToLower(markup.Attr(n, "data-attrid"))
	return name != "" && strings.Contains(name, "image") || markup.HasAttr(n, "data-lpage")
}

// picture is the address of the picture in a part, or the picture itself where the
// page holds it; "" for no part.
func (r *reader) picture(part *html.Node) string {
	if part == nil {
		return ""
	}
	if address := r.pictures.Of(part); address != "" {
		return address
	}
	return r.pictures.Held(part)
}

// namesIn finds the first element of each name that parts of panels have, wherever
// it stands.
func namesIn(n *html.Node) map[string]*html.Node {
	found := map[string]*html.Node{}
	collectNames(n, found)
	return found
}

func collectNames(n *html.Node, found map[string]*html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || markup.Unseen(child) {
			continue
		}
		switch name := markup.Attr(child, "data-attrid"); name {
		case "":
		case panelTitle, panelKind, panelDescription, panelImage, panelPictures, panelWebsite:
			if found[name] == nil {
				found[name] = child
			}
		default:
		}
		collectNames(child, found)
	}
}

func (r *reader) readPanelPart(k *earshot.KnowledgeGraph, n *html.Node, name string) {
	switch {
	case name == panelTitle:
		k.Title = cmp.Or(k.Title, serp.Line(n)) // another may follow, of something else with the same name
	case name == panelKind, name == panelSummary:
		if kind := serp.Line(n); !reviewCount.MatchString(kind) { // of a product it is how many have judged it
			k.Type = cmp.Or(k.Type, kind)
		}
	case name == panelDescription && k.Description == "":
		r.readDescription(k, n)
	case name == panelImage && k.ImageURL == "":
		k.ImageURL = r.picture(n)
	case name == panelWebsite && k.Website == "":
		link := n // the link itself has the name, or holds it
		if !markup.IsLink(n) {
			link = markup.Find(n, markup.IsLink)
		}
		if link != nil {
			k.Website, k.RedirectLink, _ = r.links.Read(markup.Attr(link, "href"))
		}
	case strings.HasSuffix(name, panelProfiles):
		for _, link := range markup.FindAll(n, markup.IsLink) {
			if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && serp.Line(link) != "" {
				k.Profiles = append(k.Profiles, earshot.KnowledgeProfile{Name: serp.Line(link), Link: to, RedirectLink: redirect})
			}
		}
	case isFact(name):
		readFact(k, n)
	}
}

// maxFactName and maxFact are how long a fact and its name may be, in bytes. What
// is longer is no fact but a table or a form.
const (
	maxFactName = 80
	maxFact     = 400
)

// readFact reads a fact: its name, a colon, and what it is, without what can be
// unfolded or used there.
func readFact(k *earshot.KnowledgeGraph, n *html.Node) {
	text := strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.Table || markup.Attr(n, "role") == "button" || markup.Attr(n, "role") == "dialog"
	}), " ")
	name, value, found := strings.Cut(text, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if found && name != "" && value != "" && len(name) <= maxFactName && len(value) <= maxFact {
		k.Attributes = append(k.Attributes, earshot.KnowledgeAttribute{Name: name, Value: value})
	}
}

// readDescription reads the text, without its heading, and who wrote it.
func (r *reader) readDescription(k *earshot.KnowledgeGraph, n *html.Node) {
	k.Description = strings.Join(serp.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.A || n.DataAtom == atom.H3 || n.DataAtom == atom.H2
	}), " ")
	if link := markup.Find(n, markup.IsLink); link != nil {
		k.Source = serp.Line(link)
		if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && r.links.Leads(to) {
			k.SourceLink, k.SourceRedirectLink = to, redirect
		}
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
