package serp

import (
	"bytes"
	"cmp"
	"html"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"earshot/internal/provider/webtext"
)

// Paths of the engine's redirect links. The first says in itself where it leads;
// the second only the engine can tell.
const (
	pathURL  = "/url"
	pathGoto = "/goto"
)

// Links reads the links of one page.
type Links struct {
	engine   Engine
	resolved map[string]string // redirect link -> destination
}

// NewLinks reads links of the engine's pages, with what is known of where its
// redirect links lead.
func (e Engine) NewLinks(resolved map[string]string) Links {
	return Links{engine: e, resolved: resolved}
}

// Read gives the destination of a link on a page, absolute and unwrapped, and
// the redirect link if the engine served it as one. A redirect link that nobody
// resolved is its own destination. ok is false for what is no web address.
func (l Links) Read(href string) (destination, redirect string, ok bool) {
	u, ok := l.engine.absolute(href)
	if !ok {
		return "", "", false
	}
	if !l.engine.isRedirect(u) {
		return l.engine.original(u), "", true
	}
	u.Host = "www." + l.engine.Host // of all the engine's hosts, goto takes this
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

// slug is a redirect link without its path, as some pages have it (2026).
var slug = regexp.MustCompile(`^/?(CAES[\w-]{24,}=*)$`)

// absolute resolves a link against the engine's main page.
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
	case u.Scheme == "": // nothing to resolve but what is left out
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

// webAddress is a destination that may be shown: absolute, http(s), without a
// user name.
func webAddress(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || !webtext.IsWeb(u) {
		return "", false
	}
	dropHighlight(u)
	return u.String(), true
}

// dropHighlight takes off a fragment that only marks text on the page.
func dropHighlight(u *url.URL) {
	if mark := strings.Index(u.Fragment, ":~:"); mark >= 0 {
		u.Fragment = u.Fragment[:mark]
		u.RawFragment = ""
	}
}

// token is a redirect link that is nothing but the engine's word for where it leads.
var token = regexp.MustCompile(`^/?CAES[\w-]{24,}=*$`)

// hrefs are the links of a page that do not say where they lead. A page has hundreds of
// others, so it is looked through by hand: a regular expression takes ten times as long.
func hrefs(page []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, found := bytes.Cut(page, []byte(`href="`))
			if !found {
				return
			}
			link, after, closed := bytes.Cut(rest, []byte(`"`))
			if closed && (bytes.Contains(link, []byte("/goto?")) || token.Match(link)) && !yield(string(link)) {
				return
			}
			page = after
		}
	}
}

// Hidden are the redirect links in a page that only the engine can resolve, each
// once, in their order.
func (e Engine) Hidden(page []byte) []string {
	var links []string
	seen := map[string]bool{}
	for href := range hrefs(page) {
		u, ok := e.absolute(html.UnescapeString(href))
		if !ok || !e.isRedirect(u) {
			continue
		}
		u.Host = "www." + e.Host
		if seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		links = append(links, u.String())
	}
	return links
}

// ownPaths are the parts of the engine that show more of the same: links there
// are no results.
var ownPaths = []string{"search", "aclk", "imgres", "maps", "preferences", "advanced_search", "shopping", "setprefs", "webhp", "intl"}

// Leads tells whether a destination leads away from the engine's own pages: to a
// result, be it about the engine itself.
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

// SearchFor gives the absolute link and the text of a link to another search of
// the engine, and whether it is one.
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
