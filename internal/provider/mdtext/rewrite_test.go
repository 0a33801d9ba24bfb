package mdtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
)

func TestRewriteLeavesCodeAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]mdtext.Replacement{
		"":                          {},
		"no mark":                   {Text: "no mark", Markdown: "no mark"},
		"[a] and [b]":               {Text: "A and [b]", Markdown: "*A* and [b]"},
		"[a][a][":                   {Text: "AA[", Markdown: "*A**A*["},
		"`[a]` [a] ``x`[a]`` [a]":   {Text: "`[a]` A ``x`[a]`` A", Markdown: "`[a]` *A* ``x`[a]`` *A*"},
		"```go\n[a]\n```\n[a]":      {Text: "```go\n[a]\n```\nA", Markdown: "```go\n[a]\n```\n*A*"},
		"~~~\n[a]":                  {Text: "~~~\n[a]", Markdown: "~~~\n[a]"},
		"a tick ` stays, [a] too `": {Text: "a tick ` stays, [a] too `", Markdown: "a tick ` stays, [a] too `"},
		"one ` only [a]":            {Text: "one ` only A", Markdown: "one ` only *A*"},
		"gone \t [c], closed":       {Text: "gone" + webtext.Mark + ", closed", Markdown: "gone" + webtext.Mark + ", closed"},
	} {
		got := mdtext.Rewrite(text, "[", func(rest string) (mdtext.Replacement, int) {
			switch {
			case strings.HasPrefix(rest, "[a]"):
				return mdtext.Replacement{Text: "A", Markdown: "*A*"}, 3
			case strings.HasPrefix(rest, "[c]"):
				return mdtext.Removed, 3
			default:
				return mdtext.Replacement{}, 0
			}
		})
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestRewriteCutsLongText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", webtext.MaxText)
	got := mdtext.Rewrite(long, "x", nil)
	if len(got.Text) > webtext.MaxText || strings.ContainsRune(got.Text, '\uFFFD') {
		t.Errorf("%d bytes, ending in %q", len(got.Text), got.Text[len(got.Text)-4:])
	}
}

func TestProseLinks(t *testing.T) {
	t.Parallel()
	links := mdtext.ProseLinks("[a](https://a.example/) `[b](https://b.example/)` ![c](https://c.example/c.png) [d](https://d.example/)")
	if len(links) != 2 || links[0].URL != "https://a.example/" || links[1] != (mdtext.Link{Label: "d", URL: "https://d.example/"}) {
		t.Errorf("got %v", links)
	}
}

func TestFlatten(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"# Title\n\nOne **two** *three* __four__ _five_.":   "Title\n\nOne two three four five.",
		"- a\n\n- b\n* c\n1. d":                             "- a\n- b\n- c\n1. d",
		"[a](https://b.example/c_(d) \"t\") ![e](f.png)g":   "a g",
		"`a*b*` ``c`d``":                                    "a*b* c`d",
		"```go\n**x**\n```\n---\n> quote":                   "**x**\nquote",
		"| a | **b** |\n|---|:-:|\n| c | d |":               "a | b\nc | d",
		`\*a\* \<b\> &lt;c&gt; \&lt; snake_case 2 * 3 a\_b`: "*a* <b> <c> &lt; snake_case 2 * 3 a_b",
		"~~old~~ ~5": "old ~5",
		"One \ue200cite\ue202turn0search1\ue201.": "One.",
		"a\ue203b\ue204": "ab",
		"a \ue200b \ue200c\ue201 d\ue201 e \ue200f": "a b d e f",
	} {
		if diff := cmp.Diff(want, mdtext.Flatten(markdown)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", markdown, diff)
		}
	}
}

func TestKeepSafeLinks(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"[a](https://a.example) [b](javascript:x) ![c](data:y)": "[a](https://a.example) b c",
		"[a](JAVASCRIPT:alert(1))":                              "a",
		"[a](&#106;avascript:x)":                                "a",
		"[m](mailto:a@b.example) <javascript:x>":                "[m](mailto:a@b.example) ",
		"[a][1]\n\n[1]: javascript:x\n[2]: https://a.example":   "[a][1]\n\n\n[2]: https://a.example",
	} {
		if got := mdtext.KeepSafeLinks(markdown); got != want {
			t.Errorf("%q: got %q, want %q", markdown, got, want)
		}
	}
}

func TestFlattenUndoesEscape(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`a*b_c[d](e)<f> \g ~~h~~ |i| ` + "`j`", "Isolde & Finch"} {
		if got := mdtext.Flatten(mdtext.Escape(text)); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
