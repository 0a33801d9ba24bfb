package serp

import (
	"net/url"
	"testing"

	"earshot"
)

func TestChipLabel(t *testing.T) {
	t.Parallel()
	for label, want := range map[string][2]string{
		"Ratings Room (+1) - Top 5 kettles for small kitchens in 2026. İlgili sonuçlar": {"Ratings Room", "Top 5 kettles for small kitchens in 2026"},
		"G2 - Best kettles: reviews from August 2026 - G2. View related links":          {"G2", "Best kettles: reviews from August 2026 - G2"},
		"Forum Nine (+4) - View related links":                                          {"Forum Nine", ""},
		"View related links":                                                            {"View related links", ""},
		"":                                                                              {"", ""},
	} {
		if site, title := chipLabel(label); site != want[0] || title != want[1] {
			t.Errorf("%q: %q, %q", label, site, title)
		}
	}
}

func TestSnippetDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"May 31, 2024 — What is it?": {"2024-05-31", "What is it?"},
		"2026-03-04 — It is good.":   {"2026-03-04", "It is good."},
		"4 Mar 2026 – It is good.":   {"2026-03-04", "It is good."},
		"31 years — a long time.":    {"", "31 years — a long time."},
		"Plain text.":                {"", "Plain text."},
		"":                           {"", ""},
	} {
		if date, snippet := snippetDate(text); date != want[0] || snippet != want[1] {
			t.Errorf("%q: %q, %q", text, date, snippet)
		}
	}
}

func TestReadNote(t *testing.T) {
	t.Parallel()
	chip, n, ok := readNote(`x|[["u-1",["Title","Snippet",null,null,["Site","channel"],"https://a.example/"]],7]`)
	if !ok || chip != "u-1" || n != (note{"https://a.example/", "Site", "Title", "Snippet"}) {
		t.Errorf("got %q %+v %t", chip, n, ok)
	}
	for _, comment := range []string{
		"", "no note", "x|", "x|{}", "x|[]", "x|[[]]", `x|[["a"]]`, `x|[["a",[]]]`, `x|[[1,["t","s",null,null,[],"l"]]]`,
		`x|[["a",["t","s",null,null,["n"],""]]]`, `x|[["a",["t","s",null,null,"n","l"]]]`, `x|[["a",["t","s"`,
	} {
		if _, _, ok := readNote(comment); ok {
			t.Errorf("%q was read as a note", comment)
		}
	}
}

func TestPartsMustBeOnTheEnginesHost(t *testing.T) {
	t.Parallel()
	engine := Engine{Host: "search.lab.test"}
	for _, address := range []string{"/async/offers?q=x&cluster=1", "async/offers?q=x", "https://www.search.lab.test/async/offers?q=x"} {
		part, ok := engine.partRequest(Target{}, address, url.Values{"cluster": {"7"}})
		if !ok || part.Site != Site || part.Path != "/async/offers" || part.Query.Encode() != "cluster=7&q=x" {
			t.Errorf("%s: %+v", address, part)
		}
	}
	for _, address := range []string{
		"", "/", "/search?q=x", "/async", "/async/../search", "/async/%2e%2e/search", "https://other.example/async/offers",
		"//other.example/async/offers", "https://u@search.lab.test/async/offers", "file:///async/offers", "http://[::1",
	} {
		if part, ok := engine.partRequest(Target{}, address, nil); ok {
			t.Errorf("%s: %+v", address, part)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"It is fast\n. It is light.":    "It is fast. It is light.",
		"It is fast\n\n.\n\nMore":       "It is fast.\n\nMore",
		"a {\n.class { color: red }\n}": "a {\n.class { color: red }\n}",
		"One\nTwo.":                     "One\nTwo.",
	} {
		a := earshot.Answer{Text: text}
		if Tidy(&a); a.Text != want {
			t.Errorf("%q becomes %q, want %q", text, a.Text, want)
		}
	}
}
