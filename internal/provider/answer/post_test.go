package answer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/answer"
)

func TestPostAt(t *testing.T) {
	t.Parallel()
	unnamed := &earshot.Post{Platform: "x"}
	named := &earshot.Post{Platform: "x", Author: "ann_example"}
	for link, want := range map[string]struct {
		post *earshot.Post
		id   string
	}{
		"https://x.com/ann_example/status/123":                 {named, "123"},
		"http://twitter.com/ann_example/status/123?s=20#m":     {named, "123"},
		"https://mobile.twitter.com/ann_example/status/123/":   {named, "123"},
		"https://WWW.X.com/ann_example/status/123/photo/1":     {named, "123"},
		"https://x.com/i/status/123":                           {unnamed, "123"},
		"https://x.com/i/web/status/123":                       {unnamed, "123"},
		"https://x.com/ivy/status/5":                           {&earshot.Post{Platform: "x", Author: "ivy"}, "5"},
		"https://x.com/ann_example":                            {},
		"https://x.com/ann_example/status/":                    {},
		"https://x.com/a/b/status/123":                         {},
		"https://x.com/search?q=/ann_example/status/123":       {},
		"https://box.com/ann_example/status/123":               {},
		"https://x.com.example.com/ann_example/status/123":     {},
		"https://example.com/https://x.com/ann/status/123":     {},
		"https://[::1/ann_example/status/123":                  {},
		"x.com/ann_example/status/123":                         {},
		"https://news.x.com/ann_example/status/123":            {},
		"https://user@example.com/x.com/ann_example/status/12": {},
		"": {},
	} {
		post, id := answer.PostAt(link)
		if diff := cmp.Diff(want.post, post); diff != "" || id != want.id {
			t.Errorf("%s: id %q, post (-want +got):\n%s", link, id, diff)
		}
	}
}
