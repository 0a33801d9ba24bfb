package markup_test

import (
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
)

// body calls read with the body of the HTML document and returns its result.
func body(t *testing.T, document string, read func(*goquery.Selection) string) string {
	t.Helper()
	var got string
	err := rawdoc.ReadHTML([]byte(document), func(page *goquery.Document) error {
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
		"citation":    {"<p>One " + webtext.Mark + ". Two " + webtext.Mark + " three</p>", "One. Two three", "One. Two three"},
		"tables":      {"<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", "a | b\nc | d", "| a | b |\n|---|---|\n| c | d |"},
		"control":     {"a\x01b\x7fc\ufeffd", "abcd", "abcd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := body(t, test.html, func(b *goquery.Selection) string { return markup.PlainText(b.Nodes[0]) })
			if diff := cmp.Diff(test.text, text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			markdown := body(t, test.html, func(b *goquery.Selection) string {
				return markup.Markdown(b.Nodes[0])
			})
			if diff := cmp.Diff(test.markdown, markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
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
			if got := markup.IsChallenge(goquery.NewDocumentFromNode(b.Nodes[0])); got != want {
				t.Errorf("%s: %t", document, got)
			}
			return ""
		})
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for attributes, hidden := range map[string]bool{
		`hidden`:                                               true,
		`hidden="until-found"`:                                 true,
		`style="display:none"`:                                 true,
		`style="color:red; DISPLAY : None ;"`:                  true,
		"style=\"display:\n\tnone!important\"":                 true,
		`aria-hidden="false" style="display:none"`:             true,
		`style="display:none;display:block"`:                   false,
		`style="background:url(x?display:none)"`:               false,
		`style="--display:none;content:'display: none'"`:       false,
		`style="visibility:hidden"`:                            false,
		`style="opacity:0"`:                                    false,
		`data-hidden class="hidden" aria-label="display:none"`: false,
		`aria-hidden="false"`:                                  false,
	} {
		found, text := "", ""
		body(t, "<p>a<b "+attributes+"><i>b</i></b></p>", func(page *goquery.Selection) string {
			if markup.Find(page.Nodes[0], func(n *html.Node) bool { return n.Data == "i" }) == nil {
				found = "hidden"
			}
			text = markup.PlainText(page.Nodes[0])
			return ""
		})
		if (found == "hidden") != hidden || (text == "a") != hidden {
			t.Errorf("%s: found %q, text %q, want hidden: %v", attributes, found, text, hidden)
		}
	}
}
