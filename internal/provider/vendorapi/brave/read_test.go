package brave_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
	"earshot/internal/provider/vendorapi/brave"
)

// webDocument is an answer with %s in place of a result's snippet.
const webDocument = `{"type":"search","query":{"original":"q"},"web":{"results":[{"title":"Title","url":"https://a.example/","description":"%s"}]}}`

// parse reads an answer of either kind.
func parse(document []byte) (any, error) {
	web, err := brave.ReadWeb(document, 1)
	if err == nil {
		return web, nil
	}
	if brave.Recognises(document) {
		return brave.ReadNews(document, 1)
	}
	return nil, err
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, webDocument, parse)
	rep := strings.Repeat
	for name, document := range map[string]string{
		"wrong types":    `{"type":"search","query":[],"web":{"results":{"title":{},"url":1}},"faq":7,"videos":{"results":"x"},"infobox":{"results":[null,[]]},"locations":[]}`,
		"many results":   `{"type":"search","query":{},"web":{"results":[` + rep(`{"title":"a","url":"http://a.test/"},`, 50_000) + `{}]}}`,
		"deep results":   `{"type":"search","query":{},"web":{"results":` + rep("[", 100_000),
		"open tags":      fmt.Sprintf(webDocument, rep("<b ", 200_000)),
		"news of wrong":  `{"type":"news","query":{},"results":[[],{"title":"a","url":"javascript:x"},{"url":"http://x.test"}]}`,
		"NUL and escape": fmt.Sprintf(webDocument, `\u0000a\ud800 \ue200b\ue201`),
		"two documents":  fmt.Sprintf(webDocument, "a") + "\n" + fmt.Sprintf(webDocument, "b"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Survives(t, document, parse)
		})
	}
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, webDocument, parse) }

func TestNumberOfResultsIsLimited(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 5000 {
		list = append(list, fmt.Sprintf(`{"title":"a","url":"http://a.test/%d"}`, i))
	}
	page, err := brave.ReadWeb([]byte(`{"type":"search","query":{},"web":{"results":[`+strings.Join(list, ",")+`]}}`), 1)
	if err != nil || len(page.Result.OrganicResults) != 100 {
		t.Errorf("%d results (%v)", len(page.Result.OrganicResults), err)
	}
}

func TestDocumentsAreRecognised(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Documents(t) {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ours := strings.HasPrefix(path, "testdata/web") || strings.HasPrefix(path, "testdata/news")
		if got := brave.Recognises(document); got != ours {
			t.Errorf("%s: recognised %v", path, got)
		}
	}
	if brave.Recognises([]byte(`{"type":"search"}`)) {
		t.Error("a type alone is recognised")
	}
}

func TestWebAndNewsAreNotConfused(t *testing.T) {
	t.Parallel()
	if _, err := brave.ReadWeb([]byte(`{"type":"news","query":{},"results":[]}`), 1); err == nil || providertest.Reason(t, err) != "unreadable" {
		t.Errorf("news as web: %v", err)
	}
	if _, err := brave.ReadNews([]byte(`{"type":"search","query":{},"web":{}}`), 1); err == nil || providertest.Reason(t, err) != "unreadable" {
		t.Errorf("web as news: %v", err)
	}
}
