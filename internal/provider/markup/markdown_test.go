package markup_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"earshot/internal/provider/markup"
)

// markdowns are elements of answers and their expected Markdown.
var markdowns = map[string]struct{ html, markdown string }{
	"headings":              {"<h1>a</h1><h2>b <i>c</i></h2><h6> d\n e </h6><h3> </h3>f", "# a\n\n## b *c*\n\n###### d e\n\nf"},
	"heading's end":         {"<h2>C#</h2><h3>#</h3>", `## C\#` + "\n\n" + `### \#`},
	"heading with more":     {"<h2>a<br>b<ul><li>c</li></ul></h2>", "## a bc"},
	"divisions":             {"<div>a<div>b</div><section><p>c</p></section></div>d", "a\n\nb\n\nc\n\nd"},
	"spans with blocks":     {"a<span><p>b</p></span>c", "a\n\nb\n\nc"},
	"white space":           {"<p>\n a <b> b </b> c\t</p> <p> d<br> e</p>", "a **b** c\n\nd\ne"},
	"space around objects":  {`a <code>b</code> c<img src="https://a.example/i"> d <wbr> e`, "a `b` c![](https://a.example/i) d  e"},
	"text around comments":  {"<p>a<!-- -->b <!-- --> c</p>", "ab c"},
	"emphasis":              {"<b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <del>e</del> <s>f</s>", "**a** **b** *c* *d* ~~e~~ ~~f~~"},
	"emphasis in emphasis":  {"<b>a <strong>b</strong> <i>c</i></b>", "**a b *c***"},
	"emphasis side by side": {"<b>a</b><b>b</b><i>c</i> <b></b>d", "**abc** d"},
	"emphasis over lines":   {"<b>a<br>b<p>c</p></b>", "**a**\n**b**\n\n**c**"},
	"blocks in emphasis":    {"<b><h3>a</h3>b<hr><ul><li>c</li></ul></b><i><blockquote>d</blockquote><pre>e</pre></i>", "**a**\n**bc \"d\" `e`**"},
	"lists":                 {"<ul><li>a</li>\n<li> </li><li>b<ul><li>c</li><li>d</li></ul></li></ul>", "- a\n- b\n\n  - c\n  - d"},
	"numbers":               {"<ol start=9><li>a<p>b</p></li><li>c</li></ol><ol><li>d</li></ol>", "09. a\n\n    b\n10. c\n\n1. d"},
	"strays in lists":       {"<ul>a<li>b</li><b>c</b><ul><li>d</li></ul></ul>", "- a\n- b**c**\n\n  - d"},
	"items without a list":  {"<li>a</li><li>b</li>", "a\n\nb"},
	"links":                 {`<a href="https://a.example/b c?d=e f&amp;g=(h)" title='i "j"'>k</a><a href=" https://a.example/">l </a>m`, `[k](https://a.example/b%20c?d=e%20f&g=%28h%29 "i \"j\"")[l](https://a.example/) m`},
	"links nowhere":         {`<a>a</a><a href="">b</a><a href="https://a.example/"></a>`, "ab[](https://a.example/)"},
	"links over lines":      {`<a href="https://a.example/"><div>a</div><div><b>b</b></div></a>`, "[a\n\\\n**b**](https://a.example/)"},
	"links inside out":      {`<b><a href="https://a.example/">a</a></b><a href="https://b.example/"> <h3>b</h3></a>`, "[**a**](https://a.example/)\n\n### [b](https://b.example/)"},
	"pictures":              {`<img src="https://a.example/i.png" alt="a [b]" title="c"><img alt="d"><img src="data:x">`, `![a \[b\]](https://a.example/i.png "c")`},
	"code in lines":         {"<code>a  b\nc</code> <code>`</code> <code>a``b</code> <code></code><code> </code> <kbd>d</kbd><kbd>e</kbd>", "`a b c` `` ` `` ```a``b``` ` ` `de`"},
	"code keeps signs":      {"<code>a*b &lt;c&gt;</code> a*b &lt;c&gt;", "`a*b <c>` a\\*b &lt;c&gt;"},
	"code on lines":         {"<pre class=lang-go>a\n  b\n</pre><pre><code>```</code></pre>", "```go\na\n  b\n```\n\n````\n```\n````"},
	"code in items":         {"<ol><li>a<pre>b\n c</pre></li></ol>", "1. a\n\n   ```\n   b\n    c\n   ```"},
	"quotes":                {"<blockquote><p>a</p><p>b</p><blockquote>c<br>d</blockquote></blockquote><blockquote> </blockquote>", "> a\n>\n> b\n>\n> > c\n> > d"},
	"code and lists quoted": {"<blockquote><pre>a\nb</pre><ul><li>c<p>d</p></li></ul></blockquote>", "> ```\n> a\n> b\n> ```\n>\n> - c\n>\n>   d"},
	"rules":                 {"a<hr>b", "a\n\n* * *\n\nb"},
	"tables":                {"<table><caption>x</caption><thead><tr><th>a</th><th>bcd</th></tr></thead><tr><td>é <b>f</b> | g</td></tr></table>h", "| a            | bcd |\n|--------------|-----|\n| é **f** \\| g |     |\n\nx\n\nh"},
	"tables without names":  {"<table><tr><td>a</td><td></td></tr></table>", "|   |   |\n|---|---|\n| a |   |"},
	"tables for layout":     {"<table role=presentation><tr><td>a</td><td>b</td></tr></table><table><tr><td>c<br>d</td></tr><tr><td>e</td></tr></table><table><tr><td><ul><li>f</li></ul></td></tr></table>", "ab\n\nc\nd\n\ne\n\n- f"},
	"line starts":           {"<p>+ a</p><p>12) b</p><p>#c</p><p><b># d</b> - e</p><p>&gt; f</p>", "\\+ a\n\n12\\) b\n\n#c\n\n**\\# d** - e\n\n&gt; f"},
	"formulas":              {"<math><mi>x</mi><annotation>a_b</annotation></math>", `a\_b`},
	"nothing":               {"<div><span> </span></div>", ""},
}

func TestTablePaddingIsLimited(t *testing.T) {
	t.Parallel()
	page := "<table><tr><td>" + strings.Repeat("word ", 2000) + "</td></tr>" + strings.Repeat("<tr><td>x</td></tr>", 100) + "</table>"
	got := body(t, page, func(b *goquery.Selection) string { return markup.Markdown(b.Nodes[0]) })
	if len(got) > 2*len(page) || strings.Count(got, "x") != 100 {
		t.Errorf("%d bytes became %d", len(page), len(got))
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, test := range markdowns {
		got := body(t, test.html, func(b *goquery.Selection) string { return markup.Markdown(b.Nodes[0]) })
		if diff := cmp.Diff(test.markdown, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMarkdownReadsBack checks that a Markdown renderer shows the words of the elements in order,
// and no Markdown marks.
func TestMarkdownReadsBack(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	words := func(document string) string {
		return body(t, document, func(b *goquery.Selection) string { return strings.Join(strings.Fields(b.Text()), "") })
	}
	for name, test := range markdowns {
		if name == "formulas" || name == "tables" || name == "blocks in emphasis" {
			continue // formulas, captions and quotes in emphasis are shown differently
		}
		var shown bytes.Buffer
		if err := reader.Convert([]byte(test.markdown), &shown); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(words(test.html), words(shown.String())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
