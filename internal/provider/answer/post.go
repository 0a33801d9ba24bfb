package answer

import (
	"net/url"
	"regexp"
	"strings"

	"earshot"
)

// statusPath is the path of a post of X. "i" and "i/web" stand for an author who
// is not named.
var statusPath = regexp.MustCompile(`^/(?:i|i/web|([^/]+))/status/([0-9]+)`)

// PostAt is the post of a social network that an address leads to, as far as the
// address tells, and its id there; nil and "" for any other address.
func PostAt(link string) (post *earshot.Post, id string) {
	u, err := url.Parse(link)
	if err != nil {
		return nil, ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	switch strings.TrimPrefix(host, "mobile.") {
	case "x.com", "twitter.com":
	default:
		return nil, ""
	}
	found := statusPath.FindStringSubmatch(u.Path)
	if found == nil {
		return nil, ""
	}
	return &earshot.Post{Platform: "x", Author: found[1]}, found[2]
}
