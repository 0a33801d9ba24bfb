package rawdoc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// shownOf returns the part of a page that the HTML parser receives.
func shownOf(tb testing.TB, page string) string {
	tb.Helper()
	shown, err := io.ReadAll(&boundedReader{rest: []byte(page), deadline: threadTime() + time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	return string(shown)
}

func TestCodeIsNotParsed(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<p>a</p><script>x<1</script><p>b`:                                 `<p>a</p><script></script><p>b`,
		"<p>a</p>\n <script src=\"a>b\" nonce='c'>x</SCRIPT >b":            "<p>a</p>\n <script src=\"a>b\" nonce='c'></SCRIPT >b",
		`<style>a{}</style><script>b</script><style media="x">c</style>`:   `<style></style><script></script><style media="x"></style>`,
		`<script>a</scripts>b</script>c`:                                   `<script></scripts>b</script>c`,
		`<script></script>a`:                                               `<script></script>a`,
		`<script>never closed`:                                             `<script>never closed`,
		`<script "never>closed`:                                            `<script "never>closed`,
		`<span>a</span><strong>b</strong><s>c</s><section>d</section>`:     `<span>a</span><strong>b</strong><s>c</s><section>d</section>`,
		`<p title="the <script> tag">a</p><script>b</script>`:              `<p title="the <script> tag">a</p><script></script>`,
		`<p title="<b></b><script>">a</p><script>b</script>c`:              `<p title="<b></b><script>">a</p><script></script>c`,
		`<!-- <b></b><script> --><p>a</p></script>`:                        `<!-- <b></b><script> --><p>a</p></script>`,
		`<script><!-- <script>a</script> --></script>b`:                    `<script><!-- <script>a</script> --></script>b`,
		`<script>a<script>b</script>c<script>d</script><script>e</script>`: `<script>a<script>b</script>c<script>d</script><script></script>`,
		`how to use <script> and </script>, <p>a</p><style>b{}</style>`:    `how to use <script> and </script>, <p>a</p><style></style>`,
	} {
		if got := shownOf(t, page); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", page, got, want)
		}
	}
}

// TestOnlyCodeIsCut compares the trees of the providers' documents with and without code.
func TestOnlyCodeIsCut(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../*/testdata/*.html")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no pages (%v)", err)
	}
	for _, path := range paths {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tree(t, shownOf(t, string(page))), tree(t, string(page)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
		}
	}
}

// tree returns the parsed page as text, without the text of scripts and styles.
func tree(tb testing.TB, page string) string {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style") && n.FirstChild != nil {
			n.FirstChild.Data = ""
		}
	}
	var text bytes.Buffer
	if err := html.Render(&text, root); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}
