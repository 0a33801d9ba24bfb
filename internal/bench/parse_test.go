package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/html"

	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/world"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/providertest"
)

// BenchmarkParse reads documents of the chat assistant: the lab's, and captures
// where they are. Of a page, x-bare is how many times longer it takes than only
// to parse the HTML.
func BenchmarkParse(b *testing.B) {
	page, stream := labDocuments(b)
	b.Run("lab/page", func(b *testing.B) { benchmarkParse(b, page) })
	b.Run("lab/stream", func(b *testing.B) { benchmarkParse(b, stream) })
	for _, pattern := range []string{"web_pages/*chatgpt*.html", "web_chatassistant_stream/*.json", "web_chatassistant_json/*.json"} {
		b.Run(filepath.Dir(pattern), func(b *testing.B) {
			for _, path := range providertest.Captures(b, pattern) {
				document, err := os.ReadFile(path)
				if err != nil {
					b.Fatal(err)
				}
				b.Run(filepath.Base(path), func(b *testing.B) { benchmarkParse(b, recorded(document)) })
			}
		})
	}
}

// labDocuments are the lab's answer to one question in both shapes.
func labDocuments(b *testing.B) (page, stream []byte) {
	b.Helper()
	const prompt = "best running shoes"
	answer := world.Compose(world.Question{Prompt: prompt, Country: "US", Language: "en", Search: true})
	page, err := chatsite.Page(prompt, answer)
	if err != nil {
		b.Fatal(err)
	}
	events, err := chatsite.Stream(prompt, answer)
	if err != nil {
		b.Fatal(err)
	}
	return page, bytes.Join(events, nil)
}

// recorded is the body in a recording of requests and responses, one JSON
// object a line, or the document itself.
func recorded(document []byte) []byte {
	for line := range bytes.Lines(document) {
		var exchange struct {
			Body string `json:"response_body"`
		}
		if json.Unmarshal(line, &exchange) == nil && exchange.Body != "" {
			return []byte(exchange.Body)
		}
	}
	return document
}

func benchmarkParse(b *testing.B, document []byte) {
	parse := func() {
		_, _ = chatassistant.Parse(document, "US") // a picture without text costs as much, and is a failure
	}
	if !bytes.HasPrefix(document, []byte("<")) {
		b.Run("all", func(b *testing.B) { measure(b, document, parse) })
		return
	}
	bare := func() {
		if _, err := html.Parse(bytes.NewReader(document)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("bare", func(b *testing.B) { measure(b, document, bare) })
	b.Run("all", func(b *testing.B) {
		measure(b, document, parse)
		b.ReportMetric(ratio(b.N, parse, bare), "x-bare")
	})
}

func measure(b *testing.B, document []byte, run func()) {
	b.Helper()
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

// ratio is how many times longer a takes than b. They take turns, so that a
// busy machine slows both.
func ratio(turns int, a, b func()) float64 {
	var spentA, spentB time.Duration
	for range turns {
		start := time.Now()
		a()
		between := time.Now()
		b()
		spentA += between.Sub(start)
		spentB += time.Since(between)
	}
	return float64(spentA) / float64(spentB)
}
