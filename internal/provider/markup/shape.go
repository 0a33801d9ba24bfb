package markup

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// shapeDepth is the number of elements of a path: an item of a page and the elements around it, but
// not the parts of the page that depend on its other content.
const shapeDepth = 6

// Shape returns a fingerprint of the most frequent path from the elements upwards, or "" without
// elements. A path has the names of elements, of their data- attributes, and role. It has no classes
// and no values, which change with every release and with the content of a page.
func Shape(elements []*html.Node) string {
	counts, most := map[string]int{}, ""
	for _, n := range elements {
		path := pathOf(n)
		counts[path]++
		if counts[path] > counts[most] || counts[path] == counts[most] && path < most {
			most = path
		}
	}
	if most == "" {
		return ""
	}
	hash := sha256.Sum256([]byte(most))
	return hex.EncodeToString(hash[:3])
}

func pathOf(n *html.Node) string {
	var path strings.Builder
	for range shapeDepth {
		if n == nil || n.Type != html.ElementNode {
			break
		}
		var names []string
		for _, a := range n.Attr {
			if a.Key == "role" || strings.HasPrefix(a.Key, "data-") {
				names = append(names, a.Key)
			}
		}
		slices.Sort(names)
		path.WriteString(n.Data + "[" + strings.Join(names, " ") + "]")
		n = n.Parent
	}
	return path.String()
}
