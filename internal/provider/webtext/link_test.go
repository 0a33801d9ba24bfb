package webtext_test

import (
	"net/url"
	"testing"

	"earshot/internal/provider/webtext"
)

func TestDestination(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "chat.example", Path: "/c/1"}
	own := []string{"chat.example"}
	for _, test := range []struct {
		link string
		base *url.URL
		want string
	}{
		{"https://a.example/b?x=1#c", nil, "https://a.example/b?x=1#c"},
		{"/d", base, "https://chat.example/d"},
		{"//e.example/f", base, "https://e.example/f"},
		{"https://e.example/g/../h/./i", base, "https://e.example/h/i"},
		{" https://a.example ", nil, "https://a.example"},
		{"https://a.example/?utm_source=chat.example", nil, "https://a.example/"},
		{"https://a.example?b&utm_source=chat.example", nil, "https://a.example?b"},
		{"https://a.example/?b=%20c&utm_source=chat.example&utm_medium=x&d", nil, "https://a.example/?b=%20c&d"},
		{"https://a.example/?utm_source=letter&utm_medium=x", nil, "https://a.example/?utm_source=letter&utm_medium=x"},
		{"https://a.example/?b&utm%5Fsource=chat%2Eexample&utm_medium=x", nil, "https://a.example/?b&utm%5Fsource=chat%2Eexample"},
		{"https://a.example/?utm_source=letter&utm_source=chat.example", nil, "https://a.example/?utm_source=letter&utm_source=chat.example"},
		{"/d", nil, ""},
		{"", base, ""},
		{"javascript:alert(1)", base, ""},
		{"data:text/html,x", base, ""},
		{"mailto:a@b.example", base, ""},
		{"https://", nil, ""},
		{"https://user:word@a.example/", nil, ""},
		{"http://[::1", nil, ""},
	} {
		got, ok := webtext.Destination(test.link, test.base, own)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q: got %q, %t, want %q", test.link, got, ok, test.want)
		}
	}
}

func TestDomain(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://www.A.example:8080/x": "a.example",
		"https://news.a.example":       "news.a.example",
		"https://www2.a.example":       "www2.a.example",
		"::":                           "",
	} {
		if got := webtext.Domain(link); got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}
