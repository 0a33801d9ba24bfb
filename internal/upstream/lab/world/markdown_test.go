package world

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	blocks := []Block{
		{Heading, []Line{{{Text: "Head"}}}},
		{Bullets, []Line{{{Text: "a"}, {Text: "B", Brand: true}}, {{Text: "c"}}}},
		{Numbered, []Line{{{Text: "d"}}, {{Text: "B", Brand: true}}}},
		{Paragraph, []Line{{{Text: "end"}}}},
	}
	got := Markdown(blocks, func(s Span) string {
		if s.Brand {
			return "<" + s.Text + ">"
		}
		return s.Text
	})
	if want := "### Head\n\n- a<B>\n- c\n\n1. d\n2. <B>\n\nend"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if brands := Brands(blocks); len(brands) != 1 || brands[0] != "B" {
		t.Errorf("brands %v", brands)
	}
}

func TestPiecesAreTheWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "äöü", strings.Repeat("日本", 50)} {
		pieces := Pieces(text, 3)
		if strings.Join(pieces, "") != text {
			t.Errorf("%q became %q", text, pieces)
		}
	}
}

func TestPosts(t *testing.T) {
	t.Parallel()
	q := Question{Prompt: "tea", Country: "DE", Language: "de", Search: true}
	first, second := Posts(Compose(q)), Posts(Compose(q))
	if len(first) == 0 || len(first) > 3 {
		t.Fatalf("%d posts", len(first))
	}
	for i, post := range first {
		if post != second[i] {
			t.Errorf("two posts for one question: %v, %v", post, second[i])
		}
		if post.Text == "" || !strings.HasSuffix(post.URL, ".example/"+post.Handle+"/status/"+post.ID) {
			t.Errorf("post %+v", post)
		}
	}
	q.Search = false
	if posts := Posts(Compose(q)); posts != nil {
		t.Errorf("posts without a search: %v", posts)
	}
}
