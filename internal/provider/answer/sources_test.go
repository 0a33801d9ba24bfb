package answer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

func TestSources(t *testing.T) {
	t.Parallel()
	var s answer.Sources
	s.Chip([]answer.Citation{
		{Source: earshot.Source{URL: "https://www.a.example/1"}, Label: "A"},
		{Source: earshot.Source{URL: "https://b.example/"}},
		{Source: earshot.Source{URL: "https://www.a.example/1#:~:text=x"}, Label: "A again"},
	})
	s.Chip(nil)
	s.Chip([]answer.Citation{{Source: earshot.Source{URL: "https://b.example/"}, Label: "B"}})
	s.Add(earshot.Source{URL: "https://www.a.example/1", Label: "Title", Description: "About"})
	s.Add(earshot.Source{URL: "https://c.example/"})
	if !s.Known("https://c.example/") || s.Known("https://d.example/") || s.Empty() {
		t.Error("Known or Empty is wrong")
	}
	var got earshot.Answer
	s.Fill(&got)
	want := earshot.Answer{
		Sources: []earshot.Source{
			{Position: 1, URL: "https://www.a.example/1", Label: "Title", Domain: "a.example", Description: "About"},
			{Position: 2, URL: "https://b.example/", Label: "b.example", Domain: "b.example"},
			{Position: 3, URL: "https://c.example/", Label: "c.example", Domain: "c.example"},
		},
		CitationPills: []earshot.CitationPill{
			{CitationPillID: "pill-1", Position: 1, Label: "A", URL: "https://www.a.example/1", Domain: "a.example", Description: "About"},
			{CitationPillID: "pill-1", Position: 2, Label: "b.example", URL: "https://b.example/", Domain: "b.example"},
			{CitationPillID: "pill-2", Position: 2, Label: "B", URL: "https://b.example/", Domain: "b.example"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCite(t *testing.T) {
	t.Parallel()
	var sources answer.Sources
	page := answer.Citation{Source: earshot.Source{URL: "https://a.example/(x)"}, Label: "A [1]"}
	got := sources.Cite([]answer.Citation{page})
	if got.Text != webtext.Mark || got.Markdown != ` ([A \[1\]](https://a.example/%28x%29))` {
		t.Errorf("got %q", got)
	}
	if got := sources.Cite(nil); got != mdtext.Removed {
		t.Errorf("a chip without citations is replaced by %q", got)
	}
	for range 5000 {
		sources.Cite([]answer.Citation{page})
	}
	var a earshot.Answer
	sources.Fill(&a)
	if len(a.Sources) != 1 || len(a.CitationPills) != 1000 {
		t.Errorf("%d sources, %d pills", len(a.Sources), len(a.CitationPills))
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	a := answer.Citation{Source: earshot.Source{URL: "https://a.example/"}, Label: "A"}
	b := answer.Citation{Source: earshot.Source{URL: "https://b.example/"}, Label: "B"}
	var sources answer.Sources
	var got earshot.Answer
	sources.Write([]answer.Block{
		{Text: "One", Citations: []answer.Citation{a, b}},
		{Text: " and two\ue2000\ue201.\n\n"},
		{Text: "`co", Citations: []answer.Citation{b}},
		{Text: "de`"},
	}).Fill(&got, true)
	sources.Fill(&got)
	if want := "One and two0.\n\ncode"; got.Text != want {
		t.Errorf("the text is %q, want %q", got.Text, want)
	}
	if want := "One ([A](https://a.example/), [B](https://b.example/)) and two0.\n\n`code`"; got.Markdown != want {
		t.Errorf("the Markdown is %q, want %q", got.Markdown, want)
	}
	var pills []string
	for _, pill := range got.CitationPills {
		pills = append(pills, pill.CitationPillID+" "+pill.URL)
	}
	if diff := cmp.Diff([]string{"pill-1 https://a.example/", "pill-1 https://b.example/", "pill-2 https://b.example/"}, pills); diff != "" {
		t.Errorf("pills (-want +got):\n%s", diff)
	}
}

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
