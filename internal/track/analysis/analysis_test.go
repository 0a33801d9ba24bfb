package analysis_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

func newPanel(tb testing.TB) *analysis.Panel {
	tb.Helper()
	p, err := analysis.NewPanel([]earshot.Brand{
		{Name: "Ollaro", Own: true, Domains: earshot.List[string]{"ollaro.example"}},
		{Name: "On", Match: &earshot.NameMatch{Case: "exact", Near: earshot.List[string]{"shoes"}}, Aliases: earshot.List[earshot.BrandName]{{Name: "On Running"}}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

const chat = `{"surface":"lab","text":"x","markdown":"1. **Ollaro** is light [1].\n2. On shoes last. See [a test](https://WWW.test.example/a?utm_source=x#y).",
	"sources":[{"position":1,"url":"https://shop.ollaro.example/light","label":"Ollaro Light"}]}`

func TestAnAnswer(t *testing.T) {
	t.Parallel()
	found, err := newPanel(t).Analyse([]byte(chat), analysis.Question{Text: "best shoes"})
	if err != nil {
		t.Fatal(err)
	}
	want := &analysis.Analysis{
		Mentions: []analysis.Mention{
			{Brand: 0, Kind: mention.Name, Where: analysis.InMarkdown, Start: 5, End: 11, Position: 1, ListRank: 1, Domains: []string{"ollaro.example"}, Citations: []int{0}},
			{Brand: 1, Kind: mention.Name, Where: analysis.InMarkdown, Start: 31, End: 33, Position: 2, ListRank: 2},
		},
		Citations: []metric.Citation{
			{URL: "https://shop.ollaro.example/light", Host: "shop.ollaro.example", Domain: "ollaro.example", Type: "own", Position: 1},
			{URL: "https://www.test.example/a", Host: "www.test.example", Domain: "test.example", Type: "other", Position: 2},
		},
		Contents: metric.Contents{
			Searches: []string{}, Cited: []metric.Citation{}, Products: []metric.Product{}, Ads: []metric.Ad{},
			Sources: []metric.Citation{{URL: "https://shop.ollaro.example/light", Host: "shop.ollaro.example", Domain: "ollaro.example", Type: "own", Position: 1}},
		},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const page = `{"surface":"lab","organicResults":[{"position":1,"title":"Shoes of Ollaro","link":"https://press.example/","snippet":"On Running"},
	{"position":2,"title":"Home","link":"https://www.ollaro.example/","snippet":""}],
	"searchoverview":{"text":"Ollaro is light.","sources":[{"position":1,"url":"https://press.example/","label":"Press"}]},
	"knowledgeGraph":{"title":"Ollaro","description":"A maker","attributes":[{"name":"Rival","value":"On Running"}]}}`

func TestASearchPage(t *testing.T) {
	t.Parallel()
	found, err := newPanel(t).Analyse([]byte(page), analysis.Question{Text: "best shoes"})
	if err != nil {
		t.Fatal(err)
	}
	var where []string
	for _, m := range found.Mentions {
		where = append(where, string(m.Where)+" "+[]string{"Ollaro", "On"}[m.Brand])
	}
	if diff := cmp.Diff([]string{"title Ollaro", "snippet On", "overview Ollaro", "panel Ollaro", "panel On"}, where); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(found.Citations) != 1 || len(found.Organic) != 2 || found.Organic[1].Type != "own" || found.Organic[1].Position != 2 {
		t.Errorf("it cites %+v and lists %+v", found.Citations, found.Organic)
	}
}

// linked is a search page with links in a snippet.
const linked = `{"organicResults":[{"position":1,"title":"Shoes","link":"https://a.example/","snippet":"[On shoes](https://b.example/x) are Ollaro https://c.example."}]}`

func TestDecodeReversesEncode(t *testing.T) {
	t.Parallel()
	for _, result := range []string{chat, page, shown, `{"text":""}`, `{"organicResults":[]}`, linked, `{"newsResults":[{"title":"On shoes","link":"not an address"}]}`} {
		for _, question := range []analysis.Question{{}, partly} {
			found, err := newPanel(t).Analyse([]byte(result), question)
			if err != nil {
				t.Fatal(err)
			}
			stored := found.Encode()
			again, err := analysis.Decode(stored)
			if diff := cmp.Diff(found, again); err != nil || diff != "" {
				t.Errorf("%s: %v, (-want +got):\n%s", result, err, diff)
			}
			for n := range stored {
				if _, err := analysis.Decode(stored[:n]); err == nil {
					t.Errorf("%s: Decode accepts the first %d of %d bytes", result, n, len(stored))
				}
			}
		}
	}
}

// Older formats can be read until the answers are analysed again. The first has no citations of
// mentions, and both have no contents.
func TestOlderFormatsAreRead(t *testing.T) {
	t.Parallel()
	const mentioned, cited = "\x00\x00\x00\x00\x00\x05\x06\x01\x01\x01" + "\x09a.example", "\x01\x12https://a.example/\x08\x09\x09\x08\x01" + "\x00"
	found := &analysis.Analysis{Contents: metric.Contents{Via: "cloro", Searches: []string{"of another answer"}}}
	for _, stored := range []string{"\x01\x01" + mentioned + cited, "\x02\x01" + mentioned + "\x01\x00" + "\x01" + cited} {
		want := &analysis.Analysis{
			Mentions:  []analysis.Mention{{Kind: mention.Name, Where: analysis.InMarkdown, Start: 5, End: 11, Position: 1, ListRank: 1, Domains: []string{"a.example"}}},
			Citations: []metric.Citation{{URL: "https://a.example/", Host: "a.example", Domain: "a.example", Type: "other", Position: 1}},
		}
		if stored[0] == 2 {
			want.Plain, want.Mentions[0].Citations = true, []int{0}
		}
		err := found.Decode([]byte(stored))
		if diff := cmp.Diff(want, found); err != nil || diff != "" {
			t.Errorf("format %d: %v, (-want +got):\n%s", stored[0], err, diff)
		}
	}
}

// An answer with text and without Markdown is plain. An answer without text is not.
func TestAnAnswerWithoutMarkdownIsPlain(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]bool{
		chat: false, page: true, `{"text":"Nobody is named."}`: true, `{"text":""}`: false, linked: false,
		`{"organicResults":[],"searchoverview":{"text":"x","markdown":"x"}}`: false,
	} {
		found, err := newPanel(t).Analyse([]byte(result), analysis.Question{})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := analysis.Decode(found.Encode()); err != nil || again.Plain != want || found.Answer(newPanel(t)).Plain != want {
			t.Errorf("%s: %v, is plain: %t", result, err, found.Plain)
		}
	}
}

func FuzzDecode(f *testing.F) {
	p := newPanel(f)
	for _, result := range []string{chat, page, shown} {
		for _, question := range []analysis.Question{{}, partly} {
			found, err := p.Analyse([]byte(result), question)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(found.Encode())
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		found, err := analysis.Decode(stored)
		if err != nil {
			return
		}
		again, err := analysis.Decode(found.Encode())
		if diff := cmp.Diff(found, again); err != nil || diff != "" {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
	})
}

func TestAnInvalidPanel(t *testing.T) {
	t.Parallel()
	_, err := analysis.NewPanel([]earshot.Brand{{Name: "A", Aliases: earshot.List[earshot.BrandName]{{Name: " "}}}})
	if err == nil || !strings.Contains(err.Error(), "brands[0].aliases[0]") {
		t.Errorf("an empty alias: %v", err)
	}
}

// The spelling of a brand's domain does not matter for the type of a page, citationRate and
// rank.
func TestSpellingsOfADomain(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"müller.example", "WWW.Müller.example", "xn--mller-kva.example"} {
		p, err := analysis.NewPanel([]earshot.Brand{{Name: "Müller", Own: true, Domains: earshot.List[string]{domain}}})
		if err != nil {
			t.Fatal(err)
		}
		const address = "https://shop.xn--mller-kva.example/a"
		if kind, brand, _ := p.Site(address); kind != "own" || brand != "Müller" {
			t.Errorf("%s: the site is %s of %q", domain, kind, brand)
		}
		found, err := p.Analyse([]byte(`{"organicResults":[{"position":3,"link":"`+address+`"}],"searchoverview":{"text":"x","sources":[{"url":"`+address+`"}]}}`), analysis.Question{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := metric.NewDataset(metric.Definition{
			Samples: 1, Brands: p.Brands, Prompts: []metric.Prompt{{Text: "p", Weight: 1}},
			Targets: []metric.Target{{Key: "search/DE"}}, Sweeps: []metric.AskedSweep{{ID: "s", Slot: "2026-08-01T06:00"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		a := found.Answer(p)
		a.Target, a.Sweep, a.Sample, a.Outcome = "search/DE", "s", 1, metric.Answered
		if err := b.Add(a); err != nil {
			t.Fatal(err)
		}
		rows, err := b.Rows(metric.Query{Metrics: []string{"citationRate", "rank"}, BrandsOnly: true})
		if err != nil || len(rows) != 2 || rows[0].Numerator != 1 || rows[1].Numerator != 1 {
			t.Errorf("%s: %v, the numbers are %+v", domain, err, rows)
		}
	}
}

func BenchmarkAnalyse(b *testing.B) {
	p := newPanel(b)
	for b.Loop() {
		if _, err := p.Analyse([]byte(chat), analysis.Question{Text: "best shoes"}); err != nil {
			b.Fatal(err)
		}
	}
}
