package webtext

import (
	"net/url"
	"slices"
	"strings"
)

// Destination gives an absolute http(s) URL for a link on the page at base,
// without the tracking that an engine of one of the names own adds. base may be
// nil; then relative links have no destination. ok is false for anything that
// is no web address.
func Destination(link string, base *url.URL, own []string) (destination string, ok bool) {
	link = strings.TrimSpace(link)
	if plain, ok := SplitLink(link); ok {
		query := withoutTracking(plain.Query, own)
		if query == plain.Query {
			return link, true
		}
		page := link[:len(link)-len(plain.Query)-1] // without the question mark
		if query == "" {
			return page, true
		}
		return page + "?" + query, true
	}
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return "", false
	}
	if base != nil && (u.Scheme == "" || strings.Contains(u.Path, "/.")) { // nothing to resolve in others
		u = base.ResolveReference(u)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	u.RawQuery = withoutTracking(u.RawQuery, own)
	return u.String(), true
}

// withoutTracking takes the utm parameters out of a query when its utm_source is one of
// the names, and leaves it alone otherwise: then they are the destination's.
func withoutTracking(query string, own []string) string {
	if len(own) == 0 || query == "" {
		return query
	}
	if source, ok := Parameter(query, "utm_source"); !ok || !slices.Contains(own, source) {
		return query
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(parameter string) bool { return strings.HasPrefix(parameter, "utm_") })
	return strings.Join(kept, "&")
}

// Parameter is the first parameter of the name in a query, as url.ParseQuery finds it,
// without making a map of all of them.
func Parameter(query, name string) (value string, ok bool) {
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		if key != name {
			if strings.IndexByte(key, '%') < 0 && strings.IndexByte(key, '+') < 0 {
				continue
			}
			if key, err := url.QueryUnescape(key); err != nil || key != name {
				continue
			}
		}
		if parameter == "" || strings.IndexByte(parameter, ';') >= 0 {
			continue
		}
		if value, err := url.QueryUnescape(value); err == nil {
			return value, true
		}
	}
	return "", false
}

// Domain is the host of an absolute URL in lower case, without a leading www.
func Domain(link string) string {
	if plain, ok := SplitLink(link); ok {
		return strings.TrimPrefix(plain.Host, "www.")
	}
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// Link is a web address taken apart.
type Link struct{ Host, Path, Query string }

// SplitLink takes apart a web address that is written in the plainest way, as most
// are: net/url would give it back as it is, and so nothing is copied. ok is false for
// any other, which is not to say that it is none.
func SplitLink(link string) (plain Link, ok bool) {
	rest, ok := strings.CutPrefix(link, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(link, "http://"); !ok {
			return Link{}, false
		}
	}
	end := 0
	for end < len(rest) && hostBytes[rest[end]] {
		end++
	}
	plain.Host, rest = rest[:end], rest[end:]
	end = 0
	for end < len(rest) && pathBytes[rest[end]] && (rest[end] != '/' || end+1 == len(rest) || rest[end+1] != '.') {
		end++
	}
	plain.Path, rest = rest[:end], rest[end:]
	if plain.Host == "" || plain.Path != "" && plain.Path[0] != '/' || strings.HasPrefix(plain.Path, "//") {
		return Link{}, false
	}
	if rest == "" {
		return plain, true
	}
	plain.Query = rest[1:]
	for i := range len(plain.Query) {
		if c := plain.Query[i]; c <= ' ' || c > '~' || c == '#' {
			return Link{}, false
		}
	}
	return plain, rest[0] == '?'
}

// The characters of a plain address: hosts without ports and in lower case, paths
// without escapes. Dots that lead up a path are left to net/url.
var (
	hostBytes = byteSet("abcdefghijklmnopqrstuvwxyz0123456789.-")
	pathBytes = byteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.-_~$&+,;=@:")
)

func byteSet(members string) (set [256]bool) {
	for i := range len(members) {
		set[members[i]] = true
	}
	return set
}
