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
	dropTracking(u, own)
	return u.String(), true
}

// dropTracking takes the utm parameters out of u when its utm_source is one of
// the names, and leaves it alone otherwise: then they are the destination's.
func dropTracking(u *url.URL, own []string) {
	if !slices.Contains(own, trackingSource(u.RawQuery)) {
		return
	}
	kept := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(parameter string) bool {
		return strings.HasPrefix(parameter, "utm_")
	})
	u.RawQuery = strings.Join(kept, "&")
}

// trackingSource is the first utm_source in the query, as url.ParseQuery finds
// it, without making a map of all parameters.
func trackingSource(query string) string {
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != "utm_source" || strings.Contains(parameter, ";") {
			continue
		}
		if value, err := url.QueryUnescape(value); err == nil {
			return value
		}
	}
	return ""
}

// Domain is the host of an absolute URL in lower case, without a leading www.
func Domain(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
