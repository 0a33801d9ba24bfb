package searchsite

import (
	"fmt"
	"hash/fnv"
	"net/url"

	"earshot/internal/lab/redirect"
)

// link is a link as the engine serves it: of four, two say openly where they
// lead, one says it within a redirect, and one hides it. Which it is depends on
// the destination alone.
func link(destination string) string {
	switch hash(destination) % 4 {
	case 0:
		return redirect.Wrap(destination)
	case 1:
		return redirect.Hide(destination)
	default:
		return destination
	}
}

func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum32()
}

// ved is the mark by which the engine recognises what was clicked.
func ved(text string) string { return fmt.Sprintf("2ah%08x", hash("ved"+text)) }

// searchLink leads to another search from the same place.
func searchLink(text string, q Query) string {
	params := url.Values{"q": {text}, "gl": {q.Country}, "hl": {q.Language}, "sa": {"X"}}
	return SearchPath + "?" + params.Encode()
}

// overviewLink is where the overview that answers a question is loaded from.
func overviewLink(question string, q Query) string {
	params := url.Values{"q": {question}, "gl": {q.Country}, "hl": {q.Language}}
	return OverviewPath + "?" + params.Encode()
}
