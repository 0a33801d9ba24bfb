package world

import (
	"fmt"
	"hash/fnv"
	"net/url"
)

// Identity looks like the id of a conversation and depends on the question
// alone.
func Identity(prompt string, a *Answer) string {
	h := fnv.New128a()
	_, _ = fmt.Fprint(h, prompt, a.Language, a.Sources, a.Cards) // a hash takes everything
	sum := h.Sum(nil)
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:])
}

// Tracked is a link as the site of that name shows it: with the name added, so
// that the destination can tell where its visitors come from.
func Tracked(link, site string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	query := u.Query()
	query.Set("utm_source", site)
	u.RawQuery = query.Encode()
	return u.String()
}
