package markup_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
)

func TestShapeChangesWithTheLayoutOnly(t *testing.T) {
	t.Parallel()
	shape := func(page string) string {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		return markup.Shape(markup.FindAll(root, func(n *html.Node) bool { return n.Data == "h3" }))
	}
	item := `<div class="a1" data-hveid="x"><a href="/one"><h3>One</h3></a></div>`
	same := strings.NewReplacer("a1", "b2", "One", "Two", `"x"`, `"y"`).Replace(item)
	before := shape(item + item + `<p><h3>Odd</h3></p>`)
	if after := shape(same + same + same); before == "" || after != before {
		t.Errorf("other content has the shape %s, want %s", after, before)
	}
	for _, page := range []string{strings.ReplaceAll(item, "data-hveid", "data-new"), strings.ReplaceAll(item, "<h3>", "<span><h3>"), ""} {
		if after := shape(page); after == before {
			t.Errorf("%s has the same shape", page)
		}
	}
}
