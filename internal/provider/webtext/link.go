package webtext

import (
	"net/url"
	"slices"
	"strings"
)

// Destination returns the absolute http(s) URL of a link on the page at base, without the utm
// parameters that an engine added under one of the names in own. If base is nil, relative links have
// no destination. ok is false if the link is not a web address.
func Destination(link string, base *url.URL, own []string) (destination string, ok bool) {
	link = strings.TrimSpace(link)
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return "", false
	}
	if base != nil && (u.Scheme == "" || strings.Contains(u.Path, "/.")) {
		u = base.ResolveReference(u)
	}
	if !IsWeb(u) {
		return "", false
	}
	u.RawQuery = withoutTracking(u.RawQuery, own)
	return u.String(), true
}

// IsWeb reports whether u is an absolute http(s) URL without a user name.
func IsWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// withoutTracking removes the utm parameters from a query if its utm_source is one of the names in
// own. Other utm parameters belong to the destination and stay.
func withoutTracking(query string, own []string) string {
	values, _ := url.ParseQuery(query)
	if !slices.Contains(own, values.Get("utm_source")) {
		return query
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(parameter string) bool { return strings.HasPrefix(parameter, "utm_") })
	return strings.Join(kept, "&")
}

// Domain returns the host of an absolute URL in lower case, without a leading "www.".
func Domain(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
