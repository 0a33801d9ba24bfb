package chat_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

// A streamed answer is kept as a readable page.
func TestStreamIsKeptAsFormattedPage(t *testing.T) {
	t.Parallel()
	stream := []byte("data: {\"text\":\"Lamps\"}\n\ndata: [DONE]\n\n")
	a := &earshot.Answer{
		Text: "Lamps are bright.",
		Markdown: "## Lamps\n\nThey are **bright** ([shop](https://shop.example/?a=1&b=2)).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
			"<script>alert(1)</script>\n\n<img src=x onerror=alert(2)> [x](javascript:alert(3)) [y](data:text/html,x)\n",
		Sources: []earshot.Source{{Position: 1, URL: "https://shop.example/?a=1&b=2", Label: "Shop </ol><script>", Domain: "shop.example", Description: "What it sells."}},
	}
	up := upstream.NewStored(earshot.SurfaceWeb, nil, nil).NewSession(1, "http://earshot.test/captures/1")
	if err := (chat.Include{HTML: true}).Attach(a, up, stream); err != nil {
		t.Fatal(err)
	}
	if a.HTML != "http://earshot.test/captures/1/page-1.html" || a.Markdown != "" {
		t.Errorf("html %q, markdown %q", a.HTML, a.Markdown)
	}
	kept := up.Kept()[0]
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(kept))
	if err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]string{
		"title":     "Lamps are bright.",
		"main h2":   "Lamps",
		"strong":    "bright",
		"main li":   "onetwo",
		"td":        "12",
		"footer li": "Shop </ol><script> (shop.example)What it sells.",
		"script":    "",
		"pre":       "",
	} {
		if got := page.Find(selector).Text(); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	page.Find("a").Each(func(_ int, link *goquery.Selection) {
		if href, _ := link.Attr("href"); href != "https://shop.example/?a=1&b=2" && href != "" {
			t.Errorf("a link to %q", href)
		}
	})
	if page.Find("a[href^=https]").Length() != 2 || page.Find("img, [onerror]").Length() != 0 || strings.Contains(string(kept), "data: {") {
		t.Errorf("the page is\n%s", kept)
	}
	if document := rawdoc.CapturedDocument(kept); !bytes.Equal(document, stream) {
		t.Errorf("the document in the kept page is %q", document)
	}
}

func TestPageIsKeptUnchanged(t *testing.T) {
	t.Parallel()
	document := []byte("\ufeff <!DOCTYPE html><p>Lamps</p>")
	up := upstream.NewStored(earshot.SurfaceWeb, nil, nil).NewSession(1, "")
	if err := (chat.Include{HTML: true}).Attach(&earshot.Answer{Text: "Lamps"}, up, document); err != nil || !bytes.Equal(up.Kept()[0], document) {
		t.Errorf("%v, kept %q", err, up.Kept())
	}
}
