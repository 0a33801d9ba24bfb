package serp

import (
	"net/url"
	"strings"

	"earshot/internal/provider/webtext"
)

// The engine links to copies of pages: for mobile devices (AMP, until 2024) and translations. The
// link to a copy contains the address of the original page.

// maxCopies is how many levels of copies of copies are followed.
const maxCopies = 3

// Suffixes of the hosts of copies.
const (
	ampHosts         = ".cdn.ampproject.org"
	translationHosts = ".translate.goog"
)

// originalOf is original for a web address that has not been parsed.
func (e Engine) originalOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	return e.original(u)
}

// original returns the address of the original page if the link leads to a copy, or else the link
// itself. It drops a fragment that only highlights text on the page.
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

// copied returns the address of the page that the link leads to a copy of.
func (e Engine) copied(u *url.URL) (*url.URL, bool) {
	host := strings.ToLower(u.Hostname())
	name, _, _ := strings.Cut(e.Host, ".")
	switch {
	case e.isOwn(host) && strings.HasPrefix(u.Path, "/amp/"):
		return cached(u, strings.TrimPrefix(u.Path, "/amp/"))
	case strings.HasSuffix(host, ampHosts):
		_, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/") // the first segment is the kind of copy
		return cached(u, rest)
	case strings.HasPrefix(host, "translate."+name+".") && u.Path == "/translate":
		return parseWeb(u.Query().Get("u"))
	case strings.HasSuffix(host, translationHosts):
		return translated(u, strings.TrimSuffix(host, translationHosts))
	default:
		return nil, false
	}
}

// cached returns the page whose host and path are in the path of an AMP copy. A leading "s/" means
// https.
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

// translated returns the page whose host is part of a translation's host, with dots written as
// dashes and dashes as two dashes.
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

// parseWeb parses a web address whose host contains a dot.
func parseWeb(link string) (*url.URL, bool) {
	u, err := url.Parse(link)
	if err != nil || !webtext.IsWeb(u) || !strings.Contains(u.Hostname(), ".") {
		return nil, false
	}
	return u, true
}
