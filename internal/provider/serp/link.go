package serp

import (
	"bytes"
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	nodes "golang.org/x/net/html"

	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// Paths of the engine's redirect links. A link with pathURL contains its destination. A link with
// pathGoto contains a token that only the engine can resolve.
const (
	pathURL  = "/url"
	pathGoto = "/goto"
)

// Links reads the links of one page.
type Links struct {
	engine   Engine
	resolved map[string]string // redirect link -> destination
}

// NewLinks returns a reader for links on the engine's pages. resolved maps redirect links to their
// destinations.
func (e Engine) NewLinks(resolved map[string]string) Links {
	return Links{engine: e, resolved: resolved}
}

// Read returns the absolute destination of a link on a page, and the redirect link if the link is
// one. A redirect link without a known destination is its own destination. ok is false if the link
// is not a web address.
func (l Links) Read(href string) (destination, redirect string, ok bool) {
	u, ok := l.engine.absolute(href)
	if !ok {
		return "", "", false
	}
	if !l.engine.isRedirect(u) {
		return l.engine.original(u), "", true
	}
	u.Host = "www." + l.engine.Host // the goto endpoint accepts only the main host
	return l.follow(u)
}

// follow is Read for a redirect link.
func (l Links) follow(u *url.URL) (destination, redirect string, ok bool) {
	link, params := u.String(), u.Query()
	if u.Path == pathURL {
		for _, to := range []string{params.Get("q"), params.Get("url")} {
			if strings.HasPrefix(to, "/") { // a link to one of the engine's own pages
				own, ok := l.engine.absolute(strings.TrimLeft(to, "/"))
				if ok && !l.engine.isRedirect(own) {
					return own.String(), "", true
				}
			}
			if to, ok := webAddress(to); ok {
				return l.engine.originalOf(to), link, true
			}
		}
	}
	if to, known := l.resolved[link]; known {
		return l.engine.originalOf(to), link, true
	}
	return link, link, true
}

// slug matches the token of a redirect link without the path, as some pages have it (2026).
var slug = regexp.MustCompile(`^/?(CAES[\w-]{24,}=*)$`)

// absolute resolves a link against the engine's main page. ok is false if the result is not a web
// address.
func (e Engine) absolute(href string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil || href == "" {
		return nil, false
	}
	if u.Host == "" && strings.Contains(u.Path, "CAES") {
		if token := slug.FindStringSubmatch(u.Path); token != nil {
			u = &url.URL{Path: pathGoto, RawQuery: url.Values{"url": {token[1]}}.Encode()}
		}
	}
	switch {
	case u.Opaque != "" || strings.Contains(u.Path, "/.") || strings.HasPrefix(u.Path, "//") || u.Host == "" && !strings.HasPrefix(u.Path, "/"):
		u = (&url.URL{Scheme: "https", Host: "www." + e.Host, Path: "/"}).ResolveReference(u)
	case u.Scheme == "":
		u.Scheme, u.Host = "https", cmp.Or(u.Host, "www."+e.Host)
	}
	if !webtext.IsWeb(u) {
		return nil, false
	}
	return u, true
}

func (e Engine) isRedirect(u *url.URL) bool {
	return (u.Path == pathURL || u.Path == pathGoto) && e.isOwn(u.Hostname())
}

// webAddress returns a destination that may be shown. It must be absolute and http(s), without a
// user name.
func webAddress(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || !webtext.IsWeb(u) {
		return "", false
	}
	dropHighlight(u)
	return u.String(), true
}

// dropHighlight removes a fragment that only highlights text on the page.
func dropHighlight(u *url.URL) {
	if mark := strings.Index(u.Fragment, ":~:"); mark >= 0 {
		u.Fragment = u.Fragment[:mark]
		u.RawFragment = ""
	}
}

// Hidden returns the redirect links in a page that only the engine can resolve, in order and without
// duplicates.
func (e Engine) Hidden(page []byte) []string {
	var links []string
	seen := map[string]bool{}
	for _, part := range bytes.Split(page, []byte(`href="`))[1:] {
		href, _, closed := bytes.Cut(part, []byte(`"`))
		if !closed || !bytes.Contains(href, []byte("/goto?")) && !slug.Match(href) {
			continue
		}
		u, ok := e.absolute(html.UnescapeString(string(href)))
		if !ok || !e.isRedirect(u) {
			continue
		}
		u.Host = "www." + e.Host
		if link := u.String(); !seen[link] {
			seen[link] = true
			links = append(links, link)
		}
	}
	return links
}

// ownPaths are the first segments of the engine's own pages. Links to them are not results.
var ownPaths = []string{"search", "aclk", "imgres", "maps", "preferences", "advanced_search", "shopping", "setprefs", "webhp", "intl"}

// Leads reports whether a destination is outside the engine's own search pages, and so can be a
// result.
func (l Links) Leads(destination string) bool {
	u, err := url.Parse(destination)
	if err != nil {
		return false
	}
	if !l.engine.isOwn(u.Hostname()) {
		return true
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return !slices.Contains(ownPaths, first)
}

// ReadAd returns the destination of an ad. A link that counts the click has its destination in a
// parameter or in another attribute. If it has no destination, the link is returned unchanged: resolving
// it would count as a click, which the advertiser pays for.
func (l Links) ReadAd(a *nodes.Node) (destination, redirect string, ok bool) {
	destination, redirect, ok = l.Read(markup.Attr(a, "href"))
	if !ok || l.Leads(destination) && !chatpage.CountsClick(destination) {
		return destination, redirect, ok
	}
	page, _, _ := strings.Cut(markup.Attr(a, "data-pcu"), ",")
	candidates := []string{page, "https://" + markup.Attr(a, "data-dtld") + "/"}
	if u, err := url.Parse(destination); err == nil {
		candidates = slices.Insert(candidates, 0, u.Query().Get("adurl"))
	}
	for _, candidate := range candidates {
		if to, ok := webtext.Destination(candidate, nil, nil); ok && l.Leads(to) {
			return to, "", true
		}
	}
	return destination, "", chatpage.CountsClick(destination)
}

// SearchFor returns the absolute link and the query of a link to another search of the engine. ok
// is false for other links.
func (l Links) SearchFor(href string) (link, text string, ok bool) {
	u, ok := l.engine.absolute(href)
	if !ok || !l.engine.isOwn(u.Hostname()) || u.Path != "/search" {
		return "", "", false
	}
	params := u.Query()
	if params.Has("start") || params.Has("tbm") || params.Has("udm") { // another page or another vertical
		return "", "", false
	}
	text = strings.TrimSpace(params.Get("q"))
	return u.String(), text, text != ""
}
