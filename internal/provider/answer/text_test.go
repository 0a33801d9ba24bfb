package answer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// body gives the HTML's body to read.
func body(t *testing.T, document string, read func(*goquery.Selection) string) string {
	t.Helper()
	var got string
	err := answer.ReadHTML([]byte(document), func(page *goquery.Document) error {
		got = read(page.Find("body"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPlainTextAndMarkdown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ html, text, markdown string }{
		"paragraphs":  {"<p>One <b>two</b>.</p>\n<p>Three</p>", "One two.\n\nThree", "One **two**.\n\nThree"},
		"white space": {"<p> a\n  b&nbsp;c </p>", "a b\u00a0c", "a b\u00a0c"},
		"lists":       {"<p>x</p><ul><li>a</li><li><p>b</p></li></ul><ol start=4><li>c</li></ol>", "x\n\n- a\n- b\n\n4. c", "x\n\n- a\n- b\n\n4. c"},
		"hidden":      {"a<script>x</script><style>y</style><span hidden>z</span><span class='x sr-only'>w</span><button>v</button><!-- u -->b", "ab", "ab"},
		"code":        {"<pre><div>go<button>Copy</button></div><code class=language-go>if a {\n\tb\n}</code></pre>", "if a {\n\tb\n}", "```go\nif a {\n\tb\n}\n```"},
		"line breaks": {"a<br>b", "a\nb", "a\nb"},
		"special":     {"<p>a*b_c [d] `e` &lt;f&gt; \\ 1. x</p>", "a*b_c [d] `e` <f> \\ 1. x", "a\\*b\\_c \\[d\\] \\`e\\` &lt;f&gt; \\\\ 1. x"},
		"line starts": {"<p># a</p><p>1. b</p><p>- c</p>", "# a\n\n1. b\n\n- c", "\\# a\n\n1\\. b\n\n\\- c"},
		"links":       {`<a href="https://a.example/">a</a> <a href="JavaScript:x">b</a> <a href="data:x">c</a> <a href="mailto:d@e.example">d</a>`, "a b c d", "[a](https://a.example/) b c [d](mailto:d@e.example)"},
		"citation":    {"<p>One " + answer.Mark + ". Two " + answer.Mark + " three</p>", "One. Two three", "One. Two three"},
		"tables":      {"<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", "a | b\nc | d", "| a | b |\n|---|---|\n| c | d |"},
		"control":     {"a\x01b\x7fc\ufeffd", "abcd", "abcd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := body(t, test.html, func(b *goquery.Selection) string { return answer.PlainText(b.Nodes[0]) })
			if diff := cmp.Diff(test.text, text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			markdown := body(t, test.html, func(b *goquery.Selection) string {
				written, err := answer.Markdown(b.Nodes[0])
				if err != nil {
					t.Error(err)
				}
				return written
			})
			if diff := cmp.Diff(test.markdown, markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
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
		if diff := cmp.Diff(want, answer.Flatten(markdown)); diff != "" {
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
		if got := answer.KeepSafeLinks(markdown); got != want {
			t.Errorf("%q: got %q, want %q", markdown, got, want)
		}
	}
}

func TestEscapeMarkdownIsUndoneByFlatten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`a*b_c[d](e)<f> \g ~~h~~ |i| ` + "`j`", "Isolde & Finch"} {
		if got := answer.Flatten(answer.EscapeMarkdown(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

func TestReadHTMLRefuses(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"deep":      strings.Repeat("<div>", 600),
		"many tags": strings.Repeat("<p>", 70_000),
		"large":     strings.Repeat("x", 9<<20),
	} {
		err := answer.ReadHTML([]byte(document), func(*goquery.Document) error { return nil })
		var failure *upstream.Failure
		if !errors.As(err, &failure) || failure.Reason != earshot.ReasonUnreadable {
			t.Errorf("%s: got %v, want unreadable", name, err)
		}
	}
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	var got []answer.Event
	stream := ": comment\n\nevent: delta\ndata: a\ndata: b\n\nid: 1\ndata: c\r\n\r\ndata: unfinished"
	err := answer.ReadEvents([]byte(stream), func(events []answer.Event) error {
		got = events
		return nil
	})
	want := []answer.Event{{Type: "delta", Data: "a\nb"}, {Data: "c"}, {Data: "unfinished"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := answer.ReadEvents([]byte(strings.Repeat("data:\n\n", 50_001)), func([]answer.Event) error { return nil }); err == nil {
		t.Error("too many events are accepted")
	}
}

func TestIsChallenge(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]bool{
		`<form id="challenge-form"></form>`:                  true,
		`<div class="g-recaptcha"></div>`:                    true,
		`<iframe src="https://x.example/hcaptcha"></iframe>`: true,
		`<input type="password">`:                            true,
		`<p>captcha is a word here</p>`:                      false,
	} {
		body(t, document, func(b *goquery.Selection) string {
			if got := answer.IsChallenge(goquery.NewDocumentFromNode(b.Nodes[0])); got != want {
				t.Errorf("%s: %t", document, got)
			}
			return ""
		})
	}
}
