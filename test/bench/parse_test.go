package bench

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/html"

	"earshot"
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
	"earshot/test/captures"
)

// reader is a parser and the documents it is measured on.
type reader struct {
	provider string
	lab      []string // documents of the lab, stored with the provider
	captures []string // patterns of real ones
	read     func(document []byte, engine serp.Engine) error
}

func readers() []reader {
	assistant := func(read func([]byte, answer.Options) (*earshot.Answer, error)) func([]byte, serp.Engine) error {
		return func(document []byte, _ serp.Engine) error {
			_, err := read(document, answer.Options{Country: "US", Markdown: true})
			return err
		}
	}
	return []reader{
		{
			"chatassistant",
			[]string{"mobile.html", "legacy.sse"},
			[]string{"web_pages/*chatgpt*.html", "web_chatassistant_*/*", "api_chatassistant/*"},
			assistant(chatassistant.Read),
		},
		{
			"genassistant",
			[]string{"lab.html"},
			[]string{"web_pages/*gemini*.html", "web_genassistant/*", "api_genassistant/*"},
			assistant(genassistant.New().Read),
		},
		{"officeassistant", []string{"lab.html"}, nil, assistant(officeassistant.New().Read)},
		{
			"socialassistant",
			[]string{"lab.ndjson"},
			[]string{"web_pages/*grok*.html", "web_socialassistant/*", "api_socialassistant/*"},
			assistant(socialassistant.Read),
		},
		{
			"answerengine",
			[]string{"lab.sse"},
			[]string{"web_pages/*perplexity*.html", "web_answerengine/*"},
			assistant(answerengine.Read),
		},
		{"searchaimode", []string{"answer.html"}, []string{"web_searchaimode/*"}, func(d []byte, engine serp.Engine) error {
			_, err := searchaimode.Provider{Engine: engine}.Parse(d, "US")
			return err
		}},
		{"websearch", []string{"desktop.html", "mobile.html"}, []string{"websearch/*.html"}, func(d []byte, engine serp.Engine) error {
			_, err := websearch.Parse(d, engine, "US")
			return err
		}},
		{"news", []string{"desktop.html", "mobile.html"}, nil, func(d []byte, engine serp.Engine) error {
			_, err := news.Parse(d, engine)
			return err
		}},
	}
}

// engineOf is the search engine that a document would be of.
func engineOf(document []byte) serp.Engine {
	if bytes.Contains(document, []byte("search.lab.test")) {
		return serp.Engine{Host: "search.lab.test"}
	}
	return serp.Engine{Host: "google.com"}
}

// BenchmarkParse reads each document of the lab and each capture of a real one, where
// those are at hand. worst-x-bare is how many times longer than only to decode it that
// takes, for the worst document of the provider; the log has them all.
func BenchmarkParse(b *testing.B) {
	for _, r := range readers() {
		b.Run(r.provider+"/lab", func(b *testing.B) {
			var paths []string
			for _, name := range r.lab {
				paths = append(paths, filepath.Join("..", "..", "internal", "provider", r.provider, "testdata", name))
			}
			r.benchmark(b, paths)
		})
		if len(r.captures) == 0 {
			continue
		}
		b.Run(r.provider+"/captures", func(b *testing.B) {
			var paths []string
			for _, pattern := range r.captures {
				paths = append(paths, captures.Find(b, pattern)...)
			}
			r.benchmark(b, paths)
		})
	}
}

func (r reader) benchmark(b *testing.B, paths []string) {
	b.Helper()
	var read, worst float64
	for b.Loop() {
		read, worst = 0, 0
		for _, path := range paths {
			for _, e := range providertest.Exchanges(b, path) {
				engine := engineOf(e.Body)
				if r.read(e.Body, engine) != nil {
					continue // no answer: a recorded error, mostly
				}
				times := ratio(b, func() { _ = r.read(e.Body, engine) }, func() { decode(e.Body) })
				b.Logf("%.2f %s (%d bytes)", times, filepath.Base(path), len(e.Body))
				read, worst = read+1, max(worst, times)
			}
		}
	}
	b.ReportMetric(0, "ns/op") // it is the ratios that count
	b.ReportMetric(read, "documents")
	b.ReportMetric(worst, "worst-x-bare")
}

// decode does with a document what no reader can do without: a page becomes a tree,
// every line or event of anything else a value.
func decode(document []byte) {
	document = rawdoc.Trimmed(document)
	if rawdoc.IsPage(document) {
		_, _ = html.Parse(bytes.NewReader(document)) // only its time counts
		return
	}
	var value any
	if !rawdoc.IsStream(document) && json.Unmarshal(document, &value) == nil {
		return
	}
	for line := range bytes.Lines(document) {
		_ = json.Unmarshal(bytes.TrimPrefix(line, []byte("data:")), &value)
	}
}

// ratio is how many times more processor time dear takes than cheap. They take turns of
// some milliseconds, and the median of the turns' ratios counts: what makes a machine slow
// for a moment mostly meets both. The collector waits until a turn is over: in whose it runs
// is chance.
func ratio(b *testing.B, dear, cheap func()) float64 {
	b.Helper()
	const turns, turn = 15, 4 * time.Millisecond
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	cost := func(f func()) float64 {
		runtime.GC()
		times, spent, begun := 0, cpuUsed(b, "").own, time.Now()
		for times == 0 || time.Since(begun) < turn {
			f()
			times++
		}
		return float64(cpuUsed(b, "").own-spent) / float64(times)
	}
	ratios := make([]float64, turns)
	for i := range ratios {
		ratios[i] = cost(dear) / cost(cheap)
	}
	slices.Sort(ratios)
	return ratios[turns/2]
}

// BenchmarkHostile reads documents that were made to break a parser with each parser, and
// reports how long the worst of them takes.
func BenchmarkHostile(b *testing.B) {
	const page = `<!DOCTYPE html><html><body><section data-turn="assistant"><div data-message-author-role="assistant">` +
		`<div class="markdown">%s</div></div></section></body></html>`
	documents, parsers := providertest.HostileDocuments(page), readers()
	var worst time.Duration
	for b.Loop() {
		for _, document := range documents {
			for _, r := range parsers {
				start := time.Now()
				_ = r.read([]byte(document), engineOf([]byte(document))) // most of them are refused
				worst = max(worst, time.Since(start))
			}
		}
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
}
