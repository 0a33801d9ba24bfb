package websearch_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/websearch"
)

// resultPage is a page with %s in the snippet of a result.
const resultPage = `<!DOCTYPE html><html><body><div id="search"><div id="rso"><div><div>` +
	`<a href="https://a.example/"><h3>Title</h3><cite>a.example</cite></a></div><div data-sncf="1">%s</div></div></div></div></body></html>`

// overviewPage is a page with %s in an overview.
const overviewPage = `<!DOCTYPE html><html><body><div data-attrid="SrpGenSumSummary"><div data-container-id="main-col">%s</div></div>` +
	`<div id="rso"><div><a href="https://a.example/"><h3>Title</h3></a></div></div></body></html>`

func parse(document []byte) (any, error) { return websearch.Parse(document, engineOfLab.Engine, "US") }

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "desktop.html")
}

// TestPageWithoutEndTag checks that only a truncated page is an error. HTML may omit the tags at
// its end, but a truncated page leaves other elements open.
func TestPageWithoutEndTag(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/desktop.html")
	if err != nil {
		t.Fatal(err)
	}
	want, err := parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	open, found := bytes.CutSuffix(bytes.TrimSpace(whole), []byte("</html>"))
	if !found {
		t.Fatal("the fixture has no end tag")
	}
	got, err := parse(open)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("page without its end tag: %v\n%s", err, diff)
	}
	if _, err := parse(open[:len(open)*3/4]); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
		t.Errorf("truncated page: %v", err)
	}
}

// TestOverviewKeepsSentencesTogether reads a chip that moves the end of its sentence to another
// line.
func TestOverviewKeepsSentencesTogether(t *testing.T) {
	t.Parallel()
	result, err := parse(fmt.Appendf(nil, overviewPage, `<div>It is fast <div><button data-icl-uuid="1">x</button></div>. It is light.</div>`))
	found, ok := result.(*earshot.WebSearch)
	if err != nil || !ok || found.SearchOverview == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	if a := found.SearchOverview; a.Text != "It is fast. It is light." || a.Markdown != a.Text {
		t.Errorf("text %q, Markdown %q", a.Text, a.Markdown)
	}
}

// TestOverviewWithoutNotices checks that notices of the engine are not part of an overview.
func TestOverviewWithoutNotices(t *testing.T) {
	t.Parallel()
	result, err := parse(fmt.Appendf(nil, overviewPage, `<div>It is fast.</div><g-snackbar style="display:none"><span>Thanks for letting us know</span></g-snackbar>`+
		`<div role="status">Link copied</div>`))
	found, ok := result.(*earshot.WebSearch)
	if err != nil || !ok || found.SearchOverview == nil || found.SearchOverview.Text != "It is fast." || found.SearchOverview.Markdown != "It is fast." {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	t.Run("result", func(t *testing.T) { providertest.Hostile(t, resultPage, parse) })
	t.Run("overview", func(t *testing.T) { providertest.Hostile(t, overviewPage, parse) })
}

// TestHostileStructure parses pages that repeat and nest the elements that the parser looks for.
func TestHostileStructure(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	for name, part := range map[string]string{
		"many results":        rep(`<div><a href="https://a.example/"><h3>x</h3></a></div>`, 9000),
		"deep results":        rep("<div>", 400) + rep(`<a href="https://a.example/"><h3>x</h3></a>`, 9000),
		"results in results":  rep(`<div><a href="https://a.example/"><h3>x</h3></a><div data-sncf="1">`, 400),
		"many questions":      rep(`<div class="related-question-pair" data-q="x"><b aria-expanded="false">x</b></div>`, 9000),
		"nested questions":    rep(`<div data-q="x">`, 400) + rep(`<i></i>`, 9000),
		"nested videos":       rep(`<div data-surl="https://a.example/">`, 400) + rep(`<i></i>`, 9000),
		"nested products":     rep(`<div data-pv="1">`, 400) + rep(`<i>1 €</i>`, 3000),
		"nested places":       rep(`<a data-cid="1">`, 400) + rep(`<i></i>`, 9000),
		"nested panels":       rep(`<div role="complementary">`, 400) + rep(`<i data-attrid="title">x</i>`, 9000),
		"nested facts":        `<div id="rhs"><p data-attrid="title">x</p>` + rep(`<div data-attrid="kc:/x"><b>x:</b>`, 400) + rep(`<i>y</i>`, 9000),
		"nested rows":         `<a data-cid="1"><h3>x</h3>` + rep(`<div>`, 400) + rep(`<div>y</div>`, 9000),
		"nested spans":        `<a href="https://a.example/"><h3>x</h3></a><div data-sncf="1">1 — ` + rep(`<span>y`, 400) + rep(`<i></i>`, 9000),
		"nested overviews":    rep(`<div data-attrid="SrpGenSumSummary">x`, 400),
		"chips without end":   `<div data-attrid="SrpGenSumSummary">` + rep(`<button data-icl-uuid="1" data-src-ids="`+rep("1,", 400)+`">x</button>`, 100),
		"results in titles":   rep(`<h3><a href="https://a.example/" data-ved="2EBY">x</a>`, 400) + rep(`<i></i>`, 9000),
		"marked results":      rep(`<a href="https://a.example/" data-ved="2EBY"><div>x</div><div>a.example</div></a>`, 9000),
		"deep marked results": rep(`<a href="https://a.example/" data-ved="2EBY"><div>`, 400) + rep(`<i>x</i>`, 9000),
		"folded questions":    rep(`<div><b role="button" aria-expanded="false" data-ved="2ELpO">x</b></div>`, 9000),
		"nested folds":        rep(`<div><b role="button" aria-expanded="false" data-ved="2ELpO">x</b>`, 400) + rep(`<i></i>`, 9000),
		"nested frames":       rep(`<div data-mcpr>`, 400) + rep(`<i data-huuid="1">x</i>`, 9000),
		"nested plain":        rep(`<div data-ved="2EPW4Cg">`, 400) + rep(`<i>x</i>`, 9000),
		"nested ads":          rep(`<div><a href="https://a.example/" data-ved="2ENEM"><h3>x</h3>`, 400) + rep(`<i></i>`, 9000),
		"echoes":              rep(`<a href="/search?q=x">x</a>`, 9000),
		"pieces in pieces":    `<div class="related-question-pair" data-q="x"><p id="a"></p></div><script>` + rep(`jsl.dh('a','\x3cp id=a>\x3c/p>');`, 9000) + `</script>`,
		"open pieces":         `<script>` + rep(`jsl.dh('a','`, 90_000) + `</script>`,
		"long piece":          `<div class="related-question-pair" data-q="x"><p id="a"></p></div><script>jsl.dh('a','` + rep(`\x3cb>`, 20_000) + `')</script>`,
		"sitelinks":           `<div><a href="https://a.example/"><h3>x</h3></a>` + rep(`<a href="https://a.example/y">y</a>`, 9000),
		"ads":                 rep(`<div data-text-ad="1"><a href="https://a.example/"><h3>x</h3></a></div>`, 5000),
		"hidden":              rep(`<div style="display:none">`, 400) + "x",
		"ads without target":  `<div data-text-ad="1"><a href="/aclk?adurl=javascript:alert(1)" data-pcu="data:x"><h3>x</h3></a></div>`,
		"things":              rep(`<a href="/search?q=x&stick=1"><img><div>x</div></a>`, 9000),
		"nested things":       rep(`<div role="listitem"><a href="/search?q=x&stick=1"></a><img>`, 400) + rep(`<i>x</i>`, 9000),
		"nested cards":        rep(`<div role="heading" aria-level="2">s</div><a href="https://a.example/"><div role="heading" aria-level="4">x</div>`, 400) + rep(`<i>1</i>`, 9000),
		"many cards":          rep(`<a href="https://a.example/"><div>s</div><div role="heading" aria-level="3">x</div><div>1 day ago</div></a>`, 9000),
		"nested images":       rep(`<div data-ved="1t:244">`, 400) + rep(`<img alt="x">`, 9000),
		"nested jobs":         rep(`<div data-share-url="/search?ibp=htl;jobs">`, 400) + rep(`<p>x</p>`, 9000),
		"nested hotels":       rep(`<a data-url="/travel/hotels/entity/1" role="link">`, 400) + rep(`<i>x</i>`, 9000),
		"nested events":       rep(`<div data-attrid="EventsModule">`, 400) + rep(`<i>x</i>`, 9000),
		"nested snippets":     rep(`<div data-attrid="wa:/description">`, 400) + rep(`<i>x</i>`, 9000),
		"nested quotes":       rep(`<div data-ved="1t:6924"><ul><li>x</li></ul>`, 400) + rep(`<a href="https://a.example/"><h3>x</h3></a>`, 9000),
		"snippet helps":       rep(`<div><a href="https://support.google.com/websearch?p=featured_snippets">x</a>`, 400) + rep(`<i></i>`, 9000),
		"senses":              rep(`<div data-attrid="SenseDefinition">x</div>`, 9000),
		"nested units":        rep(`<div id="NotFQb">`, 400) + rep(`<input value="1">`, 9000),
		"job links":           rep(`<div><a href="/search?ibp=htl;jobs">x</a>`, 400) + rep(`<i></i>`, 9000),
		"job titles":          rep(`<div>`, 400) + rep(`<a href="/search?ibp=htl;jobs"></a><b role="heading" aria-level="3">x</b>`, 9000),
		"featured results":    rep(`<a href="https://a.example/" data-attrid="VisualDigestWebResult">x</a>`, 9000),
		"nested boxes":        rep(`<div data-tts="answers">`, 400) + rep(`<i></i>`, 9000),
		"nested offers":       rep(`<div data-gid="1">`, 400) + rep(`<i>x</i>`, 3000),
		"shopping ads":        rep(`<div><a href="https://a.example/" data-merchant-id="1" data-offer-id="1"></a></div>`, 9000),
		"nested posts":        rep(`<g-inner-card><a href="https://x.com/a/status/1?r=twcamp%5Eserp">`, 400) + rep(`<i>x</i>`, 3000),
		"posts":               rep(`<a href="https://x.com/a/status/1?r=twcamp%5Eserp">x</a>`, 9000),
		"headings":            rep(`<div role="heading" aria-level="2">x</div>`, 9000) + rep("<div>", 400) + `<a href="/x">y</a>`,
		"deep headings":       rep(`<div><div role="heading" aria-level="2">x</div>`, 400) + rep(`<i></i>`, 9000),
		"sponsored":           rep(`<a href="https://a.example/" data-arwt="/aclk?x">`, 400) + rep(`<i>x</i>`, 9000),
		"videos":              rep(`<a href="https://a.example/" data-ved="1t:21954"><div aria-level="3" role="heading">x</div><i aria-label="y">y</i></a>`, 9000),
		"deep videos":         rep(`<div data-surl="https://a.example/"><div aria-level="3" role="heading">x</div>`, 400) + rep(`<p aria-label="y">y</p>`, 9000),
		"nested stars":        `<div><a href="https://a.example/"><h3>x</h3></a>` + rep(`<i role="img" aria-label="Rated 4 of 5">`, 400) + rep(`<i>y</i>`, 9000),
		"moments":             `<div><a href="https://a.example/"><h3>x</h3></a>` + rep(`<a href="https://a.example/?a&t=1"><p>0:01</p><p>y</p></a>`, 9000),
		"unsafe links":        `<a href="javascript:alert(1)"><h3>x</h3></a><a href="/search?q=x"><h3>y</h3></a><a href="http://u:p@a.example/"><h3>z</h3></a>`,
	} {
		t.Run(name, func(t *testing.T) {
			providertest.Survives(t, `<!DOCTYPE html><html><body><div id="rso">`+part+`</div></body></html>`, parse)
		})
	}
}

func FuzzParse(f *testing.F) {
	providertest.Seed(f, overviewPage)
	providertest.Fuzz(f, resultPage, parse)
}
