package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/news"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/socialassistant"
	"earshot/internal/provider/websearch"
)

// reader is a parser and the documents it is measured on.
type reader struct {
	provider string
	fixture  string   // the lab's document, stored with the provider
	captures []string // of real ones
	read     func(document []byte) error
}

func readers() []reader {
	text := func(read func([]byte, answer.Want) error) func([]byte) error {
		return func(document []byte) error { return read(document, answer.Want{Country: "US"}) }
	}
	engine := func(document []byte) serp.Engine {
		if bytes.Contains(document, []byte("search.lab.test")) {
			return serp.Engine{Host: "search.lab.test"}
		}
		return serp.Engine{Host: "google.com"}
	}
	return []reader{
		{"chatassistant", "mobile.html", []string{"web_pages/*chatgpt*.html"}, text(func(d []byte, w answer.Want) error {
			_, err := chatassistant.Read(d, w)
			return err
		})},
		{"chatassistant", "legacy.sse", []string{"web_chatassistant_stream/*", "web_chatassistant_json/*"}, text(func(d []byte, w answer.Want) error {
			_, err := chatassistant.Read(d, w)
			return err
		})},
		{"genassistant", "lab.html", []string{"web_pages/*gemini*.html"}, text(func(d []byte, w answer.Want) error {
			_, err := genassistant.New().Read(d, w)
			return err
		})},
		{"officeassistant", "lab.html", nil, text(func(d []byte, w answer.Want) error {
			_, err := officeassistant.New().Read(d, w)
			return err
		})},
		{"socialassistant", "lab.ndjson", []string{"web_socialassistant/*"}, text(func(d []byte, w answer.Want) error {
			_, err := socialassistant.Read(d, w)
			return err
		})},
		{"answerengine", "lab.sse", []string{"web_answerengine/*"}, text(func(d []byte, w answer.Want) error {
			_, err := answerengine.Read(d, w)
			return err
		})},
		{"searchaimode", "answer.html", []string{"web_searchaimode/*"}, func(d []byte) error {
			_, err := searchaimode.Provider{Engine: engine(d)}.Parse(d, "US")
			return err
		}},
		{"websearch", "desktop.html", []string{"websearch/*.html"}, func(d []byte) error {
			_, err := websearch.Parse(d, engine(d), "US")
			return err
		}},
		{"news", "desktop.html", nil, func(d []byte) error {
			_, err := news.Parse(d, engine(d))
			return err
		}},
	}
}

// BenchmarkParse reads the lab's documents and, where they are at hand, captures
// of real ones, all of a kind in one go. Of pages, x-bare is how many times
// longer it takes than only to parse the HTML.
func BenchmarkParse(b *testing.B) {
	for _, r := range readers() {
		fixture, err := os.ReadFile(filepath.Join("..", "provider", r.provider, "testdata", r.fixture))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(r.provider+"/"+r.fixture, func(b *testing.B) { r.benchmark(b, [][]byte{fixture}) })
		for _, pattern := range r.captures {
			b.Run(r.provider+"/"+strings.ReplaceAll(pattern, "*", "_"), func(b *testing.B) {
				var documents [][]byte
				for _, path := range providertest.Captures(b, pattern) {
					for _, e := range providertest.Exchanges(b, path) {
						documents = append(documents, e.Body)
					}
				}
				r.benchmark(b, documents)
			})
		}
	}
}

func (r reader) benchmark(b *testing.B, documents [][]byte) {
	b.Helper()
	var size int64
	pages := true
	for _, document := range documents {
		size += int64(len(document))
		pages = pages && rawdoc.IsPage(document)
	}
	read := func() {
		for _, document := range documents {
			_ = r.read(document) // a capture without an answer counts too
		}
	}
	bare := func() {
		for _, document := range documents {
			_, _ = html.Parse(bytes.NewReader(document)) // only its time counts
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		read()
	}
	if pages {
		b.ReportMetric(ratio(max(3, min(b.N, 100)), read, bare), "x-bare")
	}
}

// ratio is how many times longer a takes than b, by their medians. They take
// turns, so that a busy machine slows both.
func ratio(turns int, a, b func()) float64 {
	spentA, spentB := make([]time.Duration, turns), make([]time.Duration, turns)
	for i := range turns {
		start := time.Now()
		a()
		spentA[i] = time.Since(start)
		start = time.Now()
		b()
		spentB[i] = time.Since(start)
	}
	slices.Sort(spentA)
	slices.Sort(spentB)
	return float64(spentA[turns/2]) / float64(spentB[turns/2])
}

// BenchmarkHostile reads documents that were made to break a parser, and tells
// how long the worst of them takes.
func BenchmarkHostile(b *testing.B) {
	const page = `<!DOCTYPE html><html><body><section data-turn="assistant"><div data-message-author-role="assistant">` +
		`<div class="markdown">%s</div></div></section></body></html>`
	documents := providertest.HostileDocuments(page)
	var worst time.Duration
	for b.Loop() {
		for _, document := range documents {
			start := time.Now()
			_, _ = chatassistant.Read([]byte(document), answer.Want{Country: "US", Markdown: true}) // most of them are refused
			worst = max(worst, time.Since(start))
		}
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
}
