package serp

import (
	"net/url"
	"strings"

	"earshot/internal/provider/webtext"
)

// Links to copies of pages that the engine keeps: for mobile devices (AMP, until
// 2024) and in translation. The page itself is named in them.

// maxCopies is how many copies may be of one another.
const maxCopies = 3

// What the hosts of such copies end with.
const (
	ampHosts         = ".cdn.ampproject.org"
	translationHosts = ".translate.goog"
)

// originalOf is original for a link that is known to be a web address.
func (e Engine) originalOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	return e.original(u)
}

// original is the page that a link leads to a copy of, or the link itself, without
// what only marks text on the page.
func (e Engine) original(u *url.URL) string {
	for range maxCopies {
		to, ok := e.copied(u)
		if !ok {
			break
		}
		u = to
	}
	dropHighlight(u)
	return u.String()
}

// copied is the page that a link leads to a copy of.
func (e Engine) copied(u *url.URL) (*url.URL, bool) {
	host := strings.ToLower(u.Hostname())
	name, _, _ := strings.Cut(e.Host, ".")
	switch {
	case e.isOwn(host) && strings.HasPrefix(u.Path, "/amp/"):
		return cached(u, strings.TrimPrefix(u.Path, "/amp/"))
	case strings.HasSuffix(host, ampHosts):
		_, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/") // after the kind of copy
		return cached(u, rest)
	case strings.HasPrefix(host, "translate."+name+".") && u.Path == "/translate":
		return parseWeb(u.Query().Get("u"))
	case strings.HasSuffix(host, translationHosts):
		return translated(u, strings.TrimSuffix(host, translationHosts))
	default:
		return nil, false
	}
}

// cached is the page whose host and path a copy has in its path, after an "s" if
// it is to be had encrypted.
func cached(u *url.URL, path string) (*url.URL, bool) {
	scheme := "http"
	if rest, ok := strings.CutPrefix(path, "s/"); ok {
		scheme, path = "https", rest
	}
	link := scheme + "://" + path
	if u.RawQuery != "" {
		link += "?" + u.RawQuery
	}
	return parseWeb(link)
}

// translated is the page whose host a translation has in its own, with dashes for
// dots and two dashes for one.
func translated(u *url.URL, host string) (*url.URL, bool) {
	const dash = "\x00"
	host = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(host, "--", dash), "-", "."), dash, "-")
	params := u.Query()
	for key := range params {
		if strings.HasPrefix(key, "_x_tr_") {
			params.Del(key)
		}
	}
	to := *u
	to.Scheme, to.Host, to.RawQuery = "https", host, params.Encode()
	return parseWeb(to.String())
}

// parseWeb is a web address with a host that has a dot in it.
func parseWeb(link string) (*url.URL, bool) {
	u, err := url.Parse(link)
	if err != nil || !webtext.IsWeb(u) || !strings.Contains(u.Hostname(), ".") {
		return nil, false
	}
	return u, true
}
