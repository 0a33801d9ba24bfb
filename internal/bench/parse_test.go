package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/html"

	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/world"
	"earshot/internal/provider/answer"
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
				b.Run(filepath.Base(path), func(b *testing.B) { benchmarkParse(b, providertest.Recorded(document)[0]) })
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

func benchmarkParse(b *testing.B, document []byte) {
	isPage := bytes.HasPrefix(document, []byte("<"))
	bare := func() { _, _ = html.Parse(bytes.NewReader(document)) }
	if isPage {
		b.Run("bare", func(b *testing.B) { measure(b, document, bare) })
	}
	for _, markdown := range []bool{false, true} {
		want := answer.Want{Country: "US", Markdown: markdown}
		name := map[bool]string{false: "text", true: "markdown"}[markdown]
		parse := func() { _, _ = chatassistant.Read(document, want) } // captures without an answer count too
		b.Run(name, func(b *testing.B) {
			measure(b, document, parse)
			if isPage {
				b.ReportMetric(ratio(b.N, parse, bare), "x-bare")
			}
		})
	}
}

func measure(b *testing.B, document []byte, run func()) {
	b.Helper()
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		run()
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
