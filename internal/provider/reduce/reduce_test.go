package reduce_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"earshot/internal/provider/reduce"
)

func parsed(t *testing.T, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func rendered(t *testing.T, root *html.Node) string {
	t.Helper()
	var page strings.Builder
	if err := html.Render(&page, root); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("testdata", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	find := func(root *html.Node, selector string) *goquery.Selection {
		return goquery.NewDocumentFromNode(root).Find(selector)
	}
	for name, holds := range map[string]func(*html.Node) bool{
		// The shape of a text.
		"merchant": func(root *html.Node) bool {
			return reduce.Neutral(find(root, `[role=listitem] [data-merchant]`).Text()) == "Xxxxxxxxx Xxxx, 11+"
		},
		// A word that must stay, next to one that need not.
		"word": func(root *html.Node) bool { return strings.Contains(find(root, "span").Text(), "Sponsored") },
		// Two links with the same host and different paths.
		"links": func(root *html.Node) bool {
			links := find(root, `a[href^="https://"]`)
			one, two := links.Eq(0).AttrOr("href", ""), links.Eq(1).AttrOr("href", "")
			return one != two && one != "" && two != ""
		},
		// A kind of click, and a search of the engine.
		"click": func(root *html.Node) bool {
			return find(root, `a[href^="/search?"]`).Length() > 0 && strings.Contains(find(root, "body").Text(), "$")
		},
		// A script.
		"script": func(root *html.Node) bool { return strings.Contains(find(root, "script").Text(), "overview") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := parsed(t, page)
			if err := reduce.Page(t.Context(), root, time.Minute, holds); err != nil {
				t.Fatal(err)
			}
			got := rendered(t, root) + "\n"
			want, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !holds(parsed(t, []byte(got))) {
				t.Error("the condition does not hold for the reduced page")
			}
			for _, private := range []string{"ann", "rowan", "mountain boots", "mountain+boots", "2ahUKEw", "AAF7x"} {
				if strings.Contains(strings.ToLower(got), strings.ToLower(private)) {
					t.Errorf("the reduced page contains %q", private)
				}
			}
		})
	}
}

func TestPageFails(t *testing.T) {
	t.Parallel()
	page := `<title>mountain boots - Search</title><title>a - age - Search</title><input name=q value="c++"><p>a c++ book</p><p>a - age</p><p>mountain boots</p><p>ann@mail.rowan.test</p><i id=AAF7x0Kp9Zq3vTn5Lw8Rb></i>`
	for name, test := range map[string]struct{ text, want string }{
		"never held": {"not on the page", "does not hold"},
		"query":      {"mountain boots</p>", `"mountain boots" in a text in p`},
		"mail":       {"ann@mail", "ann@mail.rowan.test"},
		"token":      {"AAF7x0Kp9Zq3vTn5Lw8Rb", "id of i"},
		"signs":      {"a c++ book", "may be private"},
		"dash":       {"a - age", "may be private"},
	} {
		err := reduce.Page(t.Context(), parsed(t, []byte(page)), time.Minute, func(root *html.Node) bool {
			return strings.Contains(rendered(t, root), test.text)
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestPageWithoutTimeIsNotWritten(t *testing.T) {
	t.Parallel()
	root := parsed(t, []byte(`<title>mountain boots - Search</title><p>Call 555 0100</p>`))
	if err := reduce.Page(t.Context(), root, 0, func(*html.Node) bool { return true }); err == nil || !strings.Contains(err.Error(), "not enough time") {
		t.Errorf("%v, want an error about the time", err)
	}
}

func TestNeutral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Amazon.com, 10+":            "example.com, 11+",
		"$1,339.99 · Größe 42":       "$1,111.11 · Xxxxx 11",
		"検索エンジンの":                    "字字アアアアあ",
		"ann.b@mail.example.org":     "xxx.x@example.com",
		"data:image/png;base64,iVBO": "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
		"/search?q=boots&hl=en":      "/xxxxxx?hl=xx&q=xxxxx",
		"https://shop.de/a/B1?x=y#z": "https://example.com/x/X1?x=x#x",
		"/url?q=https%3A%2F%2Fshop.de%2Fa&ved=2ahUKEwiTvZHTqr6JAxUx1AIHHeKxB_IQFnoECAoQAQ": "/xxx?q=https%3A%2F%2Fexample.com%2Fx&ved=1t%3A22",
	} {
		if got := reduce.Neutral(text); got != want || reduce.Neutral(got) != want {
			t.Errorf("%s becomes %s, then %s; want %s", text, got, reduce.Neutral(got), want)
		}
	}
}
