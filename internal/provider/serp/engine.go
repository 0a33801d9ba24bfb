// Package serp is what web search, news search and AI mode share: what can be
// asked of the search engine and from where, the addresses of its pages, and
// the links on them.
//
//	engine.go    the engine's host and its names
//	target.go    where a search is run from: country, language, place, device
//	query.go     the addresses of result pages
//	address.go   a search URL that a user wrote, taken apart
//	link.go      links on a page: unwrapped, resolved, leading away or not
//	copy.go      links to the engine's copies of pages
//	resolve.go   asking the engine where its redirect links lead
//	visit.go     the same in a browser
//	pages.go     fetching pages and pieces of them, with their links resolved
//	recognise.go what a document is: results, refusal, nothing
//	stored.go    pieces of a page that its scripts hold
//	click.go     under which kind the engine counts clicks on a link
//	line.go      what a visitor reads in the elements of a page, line by line
//	served.go    which redirect link stood for a destination
//	aianswer.go  AI answers: chips and sources, made ready for chatpage
//	ainote.go    AI answers: what the engine keeps beside its chips
//	ailayout.go  AI answers: elements that are what they look like
package serp

import (
	"net/url"
	"regexp"
	"strings"

	"earshot/internal/provider"
)

// Site is the name by which the upstream knows the search engine.
const Site = "search"

// WebSite is the search engine's site on the web.
var WebSite = provider.Site{Name: Site, URL: "https://www.google.com"}

// Engine is the search engine, known by its main host without "www.".
type Engine struct{ Host string }

// NewEngine takes the main host from the base URL of the engine's site.
func NewEngine(base string) (Engine, error) {
	u, err := url.Parse(base)
	if err != nil {
		return Engine{}, err
	}
	return Engine{Host: strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")}, nil
}

// isMain tells whether the host is the engine's main one.
func (e Engine) isMain(host string) bool {
	return strings.TrimPrefix(strings.ToLower(host), "www.") == e.Host
}

// suffixes are one or two short labels, such as com or co.uk.
var suffixes = regexp.MustCompile(`^(\.[a-z]{2,4}){1,2}$`)

// isOwn tells whether the host is the engine's in some country: its name and one
// or two short suffixes. Other names before it belong to other services.
func (e Engine) isOwn(host string) bool {
	if e.isMain(host) {
		return true
	}
	name, _, _ := strings.Cut(e.Host, ".")
	rest, found := strings.CutPrefix(strings.TrimPrefix(strings.ToLower(host), "www."), name)
	return found && suffixes.MatchString(rest)
}

// ownPorts are the ports that a URL means when it names none.
var ownPorts = map[string]string{"http": "80", "https": "443"}

// parseAbsolute takes a URL that a user wrote apart, or says what is wrong with
// it. Only its parts are ever used: nothing is fetched from where it points.
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
	case u.Port() != "" && u.Port() != ownPorts[u.Scheme]:
		return nil, "must not name a port other than its scheme's own"
	default:
		return u, ""
	}
}
