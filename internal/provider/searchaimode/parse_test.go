package searchaimode_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/test/captures"
)

// answerPage is a page with %s in the text of an answer.
const answerPage = `<!DOCTYPE html><html><body><div data-subtree="aimc"><div data-container-id="main-col">%s</div></div></body></html>`

func parse(document []byte) (any, error) { return aimode.Parse(document, "DE") }

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "answer.html")
}

// TestPageWithoutEndTag reads a chip that moves the end of its sentence to another line, on a page
// without its end tag. A truncated page is an error.
func TestPageWithoutEndTag(t *testing.T) {
	t.Parallel()
	page := fmt.Sprintf(answerPage, `<div>It is fast <div><a data-icl-uuid="1" href="https://a.example/">x</a></div>. It is light.</div>`)
	open := strings.TrimSuffix(page, "</html>")
	for _, document := range []string{page, open} {
		result, err := parse([]byte(document))
		if found, ok := result.(*earshot.Answer); err != nil || !ok || found.Text != "It is fast. It is light." {
			t.Errorf("%s: %+v, %v", document, result, err)
		}
	}
	cut, _, _ := strings.Cut(open, "light")
	if _, err := parse([]byte(cut)); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
		t.Errorf("truncated page: %v", err)
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, answerPage, parse)
}

// TestHostileMarks repeats and nests the elements that the parser looks for.
func TestHostileMarks(t *testing.T) {
	t.Parallel()
	pieces := map[string]string{
		"chips":     `<a data-icl-uuid="a" aria-label="x - y. z" href="/url?q=https://a.example/">`,
		"own chips": `<a data-icl-uuid="a" aria-label="x"></a>`,
		"notes":     `<div data-crb-el><!--x|[["a",["t","s",null,null,["n"],"https://a.example/"]]]--></div>`,
		"no notes":  `<div data-crb-el><!--x|[["a",[` + strings.Repeat("[", 9000) + `--></div>`,
		"sources":   `<div data-src-id="1"><a href="https://a.example/" aria-label="x"></a><div>x</div><span>y</span>`,
		"listed":    `<div data-src-id="1"><a href="https://a.example/" aria-label="x. y"></a></div>`,
		"code":      `<div data-animation-atomic><pre>x`,
		"formulas":  `<div data-xpm-copy-root><img data-xpm-latex="x">`,
		"headings":  `<div role="heading" aria-level="9">x`,
		"turns":     `<div data-subtree="aimc"><div data-container-id="main-col">x`,
		"products":  `<div data-attrid="product-card" data-product-id="1"><b data-attrid="product-title">x</b>`,
	}
	for name, piece := range pieces {
		const most = 59_000 // just below the limit of tags on a page
		for _, times := range []int{150, most / strings.Count(piece, "<")} {
			t.Run(fmt.Sprintf("%d %s", times, name), func(t *testing.T) {
				filling := strings.Repeat("<i>x</i>", (most-times*strings.Count(piece, "<"))/2)
				document := strings.Replace(answerPage, "%s", "said "+strings.Repeat(piece, times)+filling, 1)
				providertest.Survives(t, document, parse)
			})
		}
	}
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, answerPage, parse) }

// TestCaptures checks captured pages of the real engine for properties of all pages.
func TestCaptures(t *testing.T) {
	t.Parallel()
	served := searchaimode.Provider{Engine: serp.Engine{Host: "google.com"}}
	for _, path := range captures.Find(t, "web_searchaimode/*.html") {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := served.Parse(document, "US")
		if err != nil {
			t.Fatal(err)
		}
		providertest.Check(t, a)
		providertest.CheckNoMarkup(t, a.Text)
		if len(a.Text) < 500 || len(a.Markdown) < len(a.Text) || !strings.Contains(a.Markdown, "\n### ") || !strings.Contains(a.Markdown, "```") {
			t.Errorf("%s:\n%s", path, a.Markdown)
		}
		for _, control := range []string{"Use code with caution", "Copy", "AI can make mistakes"} {
			if strings.Contains(a.Text, control) {
				t.Errorf("%s: %q is in the text:\n%s", path, control, a.Text)
			}
		}
	}
}

// TestFeedbackBoxesAreRemoved checks that an answer contains neither feedback forms nor the
// engine's policies.
func TestFeedbackBoxesAreRemoved(t *testing.T) {
	t.Parallel()
	page := fmt.Sprintf(answerPage, `<div>Lamps are bright.</div>
		<div style="display:none"><div>Thank you for your feedback</div><a href="https://policies.search.lab.test/privacy" aria-label="Privacy">Privacy</a></div>
		<div role="dialog"><div>What went wrong?</div><textarea></textarea></div>`)
	found, err := aimode.Parse([]byte(page), "US")
	if err != nil || found.Text != "Lamps are bright." || len(found.Sources) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
