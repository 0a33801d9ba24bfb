package serp

import (
	"net/url"
	"slices"
	"strings"
)

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
	if params.Has("start") || params.Has("tbm") || params.Has("udm") {
		return "", "", false // another page or another vertical
	}
	text = strings.TrimSpace(params.Get("q"))
	return u.String(), text, text != ""
}
