package answer_test

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/answer"
)

func TestRewriteLeavesCodeAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]answer.Replacement{
		"":                          {},
		"no mark":                   {Text: "no mark", Markdown: "no mark"},
		"[a] and [b]":               {Text: "A and [b]", Markdown: "*A* and [b]"},
		"[a][a][":                   {Text: "AA[", Markdown: "*A**A*["},
		"`[a]` [a] ``x`[a]`` [a]":   {Text: "`[a]` A ``x`[a]`` A", Markdown: "`[a]` *A* ``x`[a]`` *A*"},
		"```go\n[a]\n```\n[a]":      {Text: "```go\n[a]\n```\nA", Markdown: "```go\n[a]\n```\n*A*"},
		"~~~\n[a]":                  {Text: "~~~\n[a]", Markdown: "~~~\n[a]"},
		"a tick ` stays, [a] too `": {Text: "a tick ` stays, [a] too `", Markdown: "a tick ` stays, [a] too `"},
		"one ` only [a]":            {Text: "one ` only A", Markdown: "one ` only *A*"},
		"gone \t [c], closed":       {Text: "gone" + answer.Mark + ", closed", Markdown: "gone" + answer.Mark + ", closed"},
	} {
		got := answer.Rewrite(text, "[", func(rest string) (answer.Replacement, int) {
			switch {
			case strings.HasPrefix(rest, "[a]"):
				return answer.Replacement{Text: "A", Markdown: "*A*"}, 3
			case strings.HasPrefix(rest, "[c]"):
				return answer.Gone, 3
			default:
				return answer.Replacement{}, 0
			}
		})
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestRewriteEndsWhereAnAnswerDoes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", answer.MaxText)
	got := answer.Rewrite(long, "x", nil)
	if len(got.Text) > answer.MaxText || strings.ContainsRune(got.Text, '\uFFFD') {
		t.Errorf("%d bytes, ending in %q", len(got.Text), got.Text[len(got.Text)-4:])
	}
}

func TestProseLinks(t *testing.T) {
	t.Parallel()
	links := answer.ProseLinks("[a](https://a.example/) `[b](https://b.example/)` ![c](https://c.example/c.png) [d](https://d.example/)")
	if len(links) != 2 || links[0].URL != "https://a.example/" || links[1] != (answer.Link{Label: "d", URL: "https://d.example/"}) {
		t.Errorf("got %v", links)
	}
}

func TestCite(t *testing.T) {
	t.Parallel()
	var sources answer.Sources
	page := answer.Citation{Source: earshot.Source{URL: "https://a.example/(x)"}, Label: "A [1]"}
	got := sources.Cite([]answer.Citation{page})
	if got.Text != answer.Mark || got.Markdown != ` ([A \[1\]](https://a.example/%28x%29))` {
		t.Errorf("got %q", got)
	}
	if got := sources.Cite(nil); got != answer.Gone {
		t.Errorf("no citation leaves %q", got)
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
