package serp_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

func TestLinksWithinTheEngine(t *testing.T) {
	t.Parallel()
	links := engine.NewLinks(nil)
	for link, leads := range map[string]bool{
		"https://a.example/search?q=x":                true,
		"https://www.search.lab.test/":                true, // a result about the engine
		"https://help.search.lab.test/search":         true,
		"https://www.search.lab.test/search?q=x":      false,
		"https://search.co.uk/maps/place/x":           false,
		"https://www.search.lab.test/aclk?adurl=http": false,
	} {
		if links.Leads(link) != leads {
			t.Errorf("%s leads away: %t", link, !leads)
		}
	}
	for href, want := range map[string]string{
		"/search?q=red+shoes&sa=X":               "red shoes",
		"https://www.search.lab.test/search?q=x": "x",
		"/search?q=x&start=10":                   "",
		"/search?q=x&tbm=isch":                   "",
		"/search?q=+":                            "",
		"/maps?q=x":                              "",
		"https://a.example/search?q=x":           "",
	} {
		link, text, ok := links.SearchFor(href)
		if text != want || ok != (want != "") || ok && !strings.HasPrefix(link, "https://www.search.lab.test/search?") {
			t.Errorf("%s: %q, %q, %t", href, link, text, ok)
		}
	}
}

func node(t *testing.T, fragment string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(fragment))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTextOnLines(t *testing.T) {
	t.Parallel()
	root := node(t, `<div>One <b>bold</b>word<div>two</div><script>no</script><p hidden>no</p><p style="display:none">no</p></div><p>three<br>four</p>`)
	if got, want := serp.Line(root), "One boldword two three four"; got != want {
		t.Errorf("line is %q, want %q", got, want)
	}
	if got, want := strings.Join(serp.Lines(root), "|"), "One boldword|two|three|four"; got != want {
		t.Errorf("lines are %q, want %q", got, want)
	}
	long := serp.Line(node(t, strings.Repeat("é ", 1<<16)))
	if len(long) > 16<<10 || strings.ContainsRune(long, '\ufffd') {
		t.Errorf("a long line has %d bytes", len(long))
	}
}

// FuzzLine checks that serp.Line of a text node equals webtext.Line, except for invisible characters.
func FuzzLine(f *testing.F) {
	for _, text := range []string{"", " a \n b\u00a0c ", "a\u200bb\ufeff", "\ue200x\ue201 y", "a\x00\x85b\u2028c", "é\xff 日本", "\u202f \u2007"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8<<10 || strings.ContainsAny(text, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\u00ad") {
			return
		}
		n := &html.Node{Type: html.TextNode, Data: text}
		if got, want := serp.Line(n), webtext.Line(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	})
}
