package websearch

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// Names of the parts of a panel. The names of facts are of the form "kc:/people/person:born".
const (
	panelTitle       = "title"
	panelKind        = "subtitle"
	panelDescription = "description"
	panelImage       = "image"
	panelPictures    = "VisualDigestFirstImageResult" // above the results (since 2023)
	panelSummary     = "kc:/local:one line summary"   // the category of a place
	panelWebsite     = "visit_official_site"
	panelProfiles    = "social media presence"
)

// factPrefixes are the prefixes of the names of facts.
var factPrefixes = []string{"kc:/", "ss:/", "hw:/", "okra"}

// readKnowledge reads the panel next to the results about the entity that was searched for. Each
// part of the panel has a name. If the whole page is about the entity, its title and type are above
// the results.
func (r *reader) readKnowledge(n *html.Node) {
	if r.found.KnowledgeGraph != nil {
		return
	}
	var k earshot.KnowledgeGraph
	for _, part := range markup.FindAll(n, markup.Has("data-attrid")) {
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
	for _, part := range []*html.Node{r.names[panelImage], r.names[panelPictures], markup.Find(n, isPanelPicture)} {
		if k.ImageURL == "" {
			k.ImageURL = r.picture(part)
		}
	}
	if r.names[panelKind] == nil { // the panel of a place
		if k.Website == "" {
			k.Website, k.RedirectLink = r.button(n)
		}
		if k.ImageURL == "" {
			k.ImageURL = r.photo(n)
		}
	}
	r.found.KnowledgeGraph = &k
	r.noteAt(earshot.BlockKnowledgeGraph, cmp.Or(r.panelAt, r.at), "")
}

// readWhole reads the panel of a page that is about one entity as a whole. The parts of that panel
// are between the results, mostly on mobile devices.
func (r *reader) readWhole(root *html.Node) {
	if r.found.KnowledgeGraph == nil && r.names[panelTitle] != nil && r.names[panelDescription] != nil {
		r.readKnowledge(root)
	}
}

// button returns the destination and the redirect link of the first button in a panel that leads to
// another site.
func (r *reader) button(panel *html.Node) (destination, redirect string) {
	link := markup.Find(panel, func(n *html.Node) bool { return markup.Attr(n, "role") == "button" && r.leadsAway(n) })
	if link == nil {
		return "", ""
	}
	destination, redirect, _ = r.links.Read(markup.Attr(link, "href"))
	return destination, redirect
}

// photo returns the image at the top of the panel of a place, or "" if that is a map.
func (r *reader) photo(panel *html.Node) string {
	first := markup.Find(panel, func(n *html.Node) bool { return n.DataAtom == atom.Img })
	if first == nil || markup.Attr(first, "id") == "lu_map" || strings.Contains(markup.Attr(first, "src"), "/maps/") {
		return ""
	}
	return r.picture(first.Parent)
}

// isPanelPicture reports whether the name of the element says that it is an image of the entity.
func isPanelPicture(n *html.Node) bool {
	return strings.Contains(strings.ToLower(markup.Attr(n, "data-attrid")), "image") || markup.HasAttr(n, "data-lpage")
}

// picture returns the address of the image in a part, or the image as a data URI if it is embedded
// in the page. It returns "" if part is nil.
func (r *reader) picture(part *html.Node) string {
	if part == nil {
		return ""
	}
	if address := r.pictures.Of(part); address != "" {
		return address
	}
	return r.pictures.Held(part)
}

// namesIn returns the first element on the page for each name of a part of a panel.
func namesIn(root *html.Node) map[string]*html.Node {
	found := map[string]*html.Node{}
	markup.Find(root, func(n *html.Node) bool {
		switch name := markup.Attr(n, "data-attrid"); name {
		case panelTitle, panelKind, panelDescription, panelImage, panelPictures, panelWebsite:
			if found[name] == nil {
				found[name] = n
			}
		}
		return false
	})
	return found
}

func (r *reader) readPanelPart(k *earshot.KnowledgeGraph, n *html.Node, name string) {
	switch {
	case name == panelTitle:
		k.Title = cmp.Or(k.Title, serp.Line(n)) // a second title can be of another entity with the same name
	case name == panelKind, name == panelSummary:
		if kind := serp.Line(n); !reviewCount.MatchString(kind) { // for a product it is the number of reviews
			k.Type = cmp.Or(k.Type, kind)
		}
	case name == panelDescription && k.Description == "":
		r.readDescription(k, n)
	case name == panelImage && k.ImageURL == "":
		k.ImageURL = r.picture(n)
	case name == panelWebsite && k.Website == "":
		link := n // the named element is the link or contains it
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

// Maximum lengths of a fact and its name in bytes. A longer text is a table or a form.
const (
	maxFactName = 80
	maxFact     = 400
)

// readFact reads a fact of the form "name: value", without tables, buttons and dialogs.
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

// readDescription reads the description, without its heading, and its source.
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
	return slices.ContainsFunc(factPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
