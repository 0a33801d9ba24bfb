// Package serp is shared by web search, news search and AI mode. It builds requests to the search
// engine, fetches its pages, and reads links and text on them.
//
//	engine.go    the engine's host and its names
//	target.go    where a search is run from: country, language, place, device
//	query.go     requests for result pages
//	address.go   reads a search URL from a client's request
//	link.go      links on a page: unwrapped, resolved, external or not
//	copy.go      links to the engine's copies of pages
//	resolve.go   asks the engine where its redirect links lead
//	visit.go     steps of a browser that fetches a page
//	pages.go     fetches pages and parts of them, with their links resolved
//	recognise.go what a document is: results, a refusal, nothing
//	scriptparts.go  parts of a page that are in its scripts
//	pictures.go  addresses of a page's images
//	click.go     the engine's numbers for kinds of clicks
//	line.go      the visible text of elements, line by line
//	redirects.go  which redirect link led to a destination
//	aianswer.go  AI answers: chips and sources, prepared for chatpage
//	ainote.go    AI answers: notes with the sources of chips
//	ailayout.go  AI answers: elements renamed to what they look like
package serp

import (
	"net/url"
	"regexp"
	"strings"

	"earshot/internal/provider"
)

// Site is the upstream's name for the search engine.
const Site = "search"

// WebSite is the search engine's site on the web.
var WebSite = provider.Site{Name: Site, URL: "https://www.google.com"}

// Engine is the search engine, identified by its main host without "www.".
type Engine struct{ Host string }

// NewEngine returns the engine with the base URL.
func NewEngine(base string) (Engine, error) {
	u, err := url.Parse(base)
	if err != nil {
		return Engine{}, err
	}
	return Engine{Host: strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")}, nil
}

// isMain reports whether the host is the engine's main host.
func (e Engine) isMain(host string) bool {
	return strings.TrimPrefix(strings.ToLower(host), "www.") == e.Host
}

// suffixes matches one or two short labels, such as .com or .co.uk.
var suffixes = regexp.MustCompile(`^(\.[a-z]{2,4}){1,2}$`)

// isOwn reports whether the host is the engine's host in some country: its name and one or two
// short suffixes. Other subdomains belong to other services.
func (e Engine) isOwn(host string) bool {
	if e.isMain(host) {
		return true
	}
	name, _, _ := strings.Cut(e.Host, ".")
	rest, found := strings.CutPrefix(strings.TrimPrefix(strings.ToLower(host), "www."), name)
	return found && suffixes.MatchString(rest)
}

// defaultPorts are the default ports of the schemes.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// parseAbsolute parses a URL from a client, or returns the problem with it. The host of such a URL
// is never contacted.
func parseAbsolute(raw string) (u *url.URL, problem string) {
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return nil, "must not contain white space, control characters or backslashes"
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, "must be an absolute http(s) URL"
	case u.User != nil:
		return nil, "must not contain a user name or password"
	case u.Port() != "" && u.Port() != defaultPorts[u.Scheme]:
		return nil, "must not name a port other than its scheme's own"
	default:
		return u, ""
	}
}
