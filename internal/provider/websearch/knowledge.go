package websearch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Names of the parts of a panel. The names of facts are of the form "kc:/people/person:born".
const (
	panelTitle       = "title"
	panelKind        = "subtitle"
	panelDescription = "description"
	panelDigest      = "VisualDigestDescription" // above the results (since 2025)
	panelImage       = "image"
	panelPictures    = "VisualDigestFirstImageResult" // above the results (since 2023)
	panelSummary     = "kc:/local:one line summary"   // the category of a place
	panelWebsite     = "visit_official_site"
	panelActions     = "actions" // of a place
	panelProfiles    = "social media presence"
	questionName     = "/answer_panel/" // a question with its answer
)

// readKnowledge reads the panel next to the results about the entity that was searched for. Each
// part of the panel has a name. If the whole page is about the entity, its title and type are above
// the results, and its parts can be in several regions.
func (r *reader) readKnowledge(n *html.Node) {
	top := serp.Line(r.names[panelTitle])
	k := earshot.KnowledgeGraph{Title: top}
	if r.found.KnowledgeGraph != nil {
		k = *r.found.KnowledgeGraph
	}
	isAlone := !r.readPanel(&k, n) && n.Parent != nil // nothing but the panel is in n
	if k.Title == "" || k.Description == "" && len(k.Attributes)+len(r.topFacts) == 0 {
		return
	}
	if k.Title == top {
		for _, name := range []string{panelKind, panelWebsite, panelImage} {
			if part := r.names[name]; part != nil {
				r.readPanelPart(&k, part, name)
			}
		}
		k.ImageURL = cmp.Or(k.ImageURL, r.picture(r.names[panelPictures]))
	}
	k.ImageURL = cmp.Or(k.ImageURL, r.picture(markup.Find(n, isPanelPicture)))
	if isAlone && (r.names[panelKind] == nil || markup.Find(n, isPlacePart) != nil) {
		if k.Website == "" {
			k.Website, k.RedirectLink = r.button(n)
		}
		if k.ImageURL == "" {
			k.ImageURL = r.photo(n)
		}
	}
	if r.found.KnowledgeGraph == nil {
		r.noteAt(earshot.BlockKnowledgeGraph, cmp.Or(r.panelAt, r.at), "")
	}
	r.found.KnowledgeGraph = &k
}

// readPanel reads the parts of a panel up to the title of another entity. It reports whether it
// reached that title.
func (r *reader) readPanel(k *earshot.KnowledgeGraph, n *html.Node) bool {
	for part := n.FirstChild; part != nil; part = part.NextSibling {
		if part.Type != html.ElementNode || markup.Unseen(part) {
			continue
		}
		name := markup.Attr(part, "data-attrid")
		if name == panelTitle && serp.Line(part) != k.Title {
			if r.found.KnowledgeGraph != nil || k.Description != "" || len(k.Attributes) > 0 {
				return true
			}
			k.Title = serp.Line(part)
		}
		if (name == "" || !r.readPanelPart(k, part, name)) && r.readPanel(k, part) {
			return true
		}
	}
	return false
}

// readWhole reads the panel of a page that is about one entity as a whole. The parts of that panel
// are between the results, mostly on mobile devices.
func (r *reader) readWhole(root *html.Node) {
	if r.found.KnowledgeGraph == nil && r.names[panelTitle] != nil {
		r.readKnowledge(root)
	}
	if k := r.found.KnowledgeGraph; k != nil {
		for _, fact := range r.topFacts {
			if !slices.ContainsFunc(k.Attributes, func(a earshot.KnowledgeAttribute) bool { return a.Name == fact.Name }) {
				k.Attributes = append(k.Attributes, fact)
			}
		}
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

// isPlacePart reports whether the name of the element says that the panel is about a place.
func isPlacePart(n *html.Node) bool {
	name := markup.Attr(n, "data-attrid")
	return strings.HasPrefix(name, "kc:/local:") || strings.HasPrefix(name, "kc:/location/location:")
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

// readPanelPart reads the part with the given name. It reports whether other parts cannot be inside.
func (r *reader) readPanelPart(k *earshot.KnowledgeGraph, n *html.Node, name string) bool {
	switch {
	case name == panelTitle:
	case name == panelKind, name == panelSummary:
		k.Type = cmp.Or(k.Type, kindOf(n))
	case name == panelDescription, name == panelDigest:
		if k.Description == "" {
			r.readDescription(k, n)
		}
	case name == panelImage:
		k.ImageURL = cmp.Or(k.ImageURL, r.picture(n))
	case name == panelWebsite:
		link := n // the named element is the link or contains it
		if !markup.IsLink(n) {
			link = markup.Find(n, markup.IsLink)
		}
		if link != nil && k.Website == "" {
			k.Website, k.RedirectLink, _ = r.links.Read(markup.Attr(link, "href"))
		}
	case isPlacePart(n) && strings.HasSuffix(name, panelActions):
		if link := markup.Find(n, r.leadsAway); link != nil && k.Website == "" {
			k.Website, k.RedirectLink, _ = r.links.Read(markup.Attr(link, "href"))
		}
	case strings.HasSuffix(name, panelProfiles):
		for _, link := range markup.FindAll(n, markup.IsLink) {
			if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && serp.Line(link) != "" {
				k.Profiles = append(k.Profiles, earshot.KnowledgeProfile{Name: serp.Line(link), Link: to, RedirectLink: redirect})
			}
		}
	case strings.HasPrefix(name, topFactName):
		if fact := topFactIn(n); fact != nil {
			r.topFacts = append(r.topFacts, *fact)
		}
	case strings.Contains(name, questionName) || strings.HasPrefix(name, snippetName):
	default:
		fact := r.factOf(n)
		if fact != nil && !slices.Contains(k.Attributes, *fact) {
			k.Attributes = append(k.Attributes, *fact)
		}
		return fact != nil
	}
	return true
}

// reviewWords matches a number of reviews with or without words.
var reviewWords = regexp.MustCompile(`^\(?\d[\d.,\s]*[KkM]?\)?(\s\pL+){0,3}$`)

// kindOf returns the type of an entity without its rating, reviews, prices, and opening hours, which
// are next to the type of a place or a product.
func kindOf(n *html.Node) string {
	pieces := shownIn(n)
	isRated := slices.ContainsFunc(pieces, starCount.MatchString)
	if !isRated && markup.Attr(n, "data-attrid") != panelSummary {
		if kind := serp.Line(n); !reviewCount.MatchString(kind) {
			return kind
		}
		return ""
	}
	for _, piece := range pieces {
		piece = strings.Trim(piece, " ·⋅‧")
		if hasWords(piece) && !starCount.MatchString(piece) && !reviewWords.MatchString(piece) && !priceLevel.MatchString(piece) {
			return piece
		}
	}
	return ""
}

// shownIn returns the visible text nodes outside buttons.
func shownIn(n *html.Node) (pieces []string) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode && len(pieces) < maxItems:
			pieces = append(pieces, webtext.Line(child.Data))
		case child.Type == html.ElementNode && !markup.Unseen(child) && !isAside(child):
			pieces = append(pieces, shownIn(child)...)
		}
	}
	return pieces
}

// readDescription reads the description, without its heading, and its source.
func (r *reader) readDescription(k *earshot.KnowledgeGraph, n *html.Node) {
	lines := serp.LinesBut(n, func(n *html.Node) bool {
		return n.DataAtom == atom.A || n.DataAtom == atom.H3 || n.DataAtom == atom.H2 || isAside(n)
	})
	lines = slices.DeleteFunc(lines, isLabel) // the label of the source
	k.Description = strings.Join(lines, " ")
	if at := strings.LastIndex(k.Description, "―"); at > 0 && serp.IsShort(k.Description[at:]) { // the engine's own text
		k.Description, k.Source = strings.TrimSpace(k.Description[:at]), webtext.Line(k.Description[at+len("―"):])
	}
	if link := markup.Find(n, markup.IsLink); link != nil {
		k.Source = serp.Line(link)
		if to, redirect, ok := r.links.Read(markup.Attr(link, "href")); ok && r.links.Leads(to) {
			k.SourceLink, k.SourceRedirectLink = to, redirect
		}
	}
}
