package explain

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
)

// Limits of a path.
const (
	maxSteps = 4
	maxMarks = 3
	maxValue = 24 // characters of an attribute
)

// ignored are attributes that say nothing about the content of an element.
var ignored = []string{"data-ved", "data-hveid", "data-sid", "data-jiis", "data-lk"}

// Path returns a short CSS path of an element, from the closest element with an id. It has only
// elements with attributes that carry meaning, and the element itself.
func Path(n *html.Node) string {
	var steps []string
	for e := n; e != nil && e.Type == html.ElementNode && len(steps) < maxSteps; e = e.Parent {
		step := marks(e)
		if step != "" || e == n {
			steps = append(steps, e.Data+step)
		}
		if markup.Attr(e, "id") != "" {
			break
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, " ")
}

// marks returns the id, the role, the level and the data attributes of an element as selectors.
func marks(n *html.Node) string {
	if id := markup.Attr(n, "id"); id != "" {
		return "#" + id
	}
	var all strings.Builder
	count := 0
	for _, a := range n.Attr {
		means := a.Key == "role" || a.Key == "aria-level" || strings.HasPrefix(a.Key, "data-") && !slices.Contains(ignored, a.Key)
		if !means || count == maxMarks {
			continue
		}
		count++
		value := []rune(a.Val)
		switch {
		case len(value) == 0:
			fmt.Fprintf(&all, "[%s]", a.Key)
		case len(value) > maxValue:
			fmt.Fprintf(&all, "[%s^=%q]", a.Key, string(value[:maxValue]))
		default:
			fmt.Fprintf(&all, "[%s=%q]", a.Key, a.Val)
		}
	}
	return all.String()
}
