package mention_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"earshot/internal/track/mention"
)

func compile(tb testing.TB, brands ...mention.BrandNames) *mention.Rules {
	tb.Helper()
	rules, err := mention.Compile(brands)
	if err != nil {
		tb.Fatal(err)
	}
	return rules
}

// panel returns Ollaro and Kestrin with their domains, and Veltra.
func panel() []mention.BrandNames {
	return []mention.BrandNames{
		{Name: "Ollaro", Own: true, Domains: []string{"ollaro.example"}},
		{Name: "Kestrin", Domains: []string{"www.kestrin.example"}},
		{Name: "Veltra"},
	}
}

func TestCompileNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := mention.Compile([]mention.BrandNames{
		{Name: " \u200b", Domains: []string{"https://ollaro.example/x", "localhost", "ollaro.example"}},
		{
			Name: "On", Match: mention.Match{Case: "upper", Within: -1, Near: []string{"running shoes", ""}},
			Domains: []string{"ollaro.example"},
		},
		{Name: "Gap", Aliases: []mention.Alias{{Name: "GAP", Match: mention.Match{
			Not: []string{"gap", "two words", "gap year"}, Suffixes: []string{""}, Prefixes: []string{"\u00ad"},
		}}}},
		{Name: strings.Repeat("x", mention.MaxName+1)},
	})
	problems, ok := errors.AsType[mention.Problems](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
		if p.Message == "" || !strings.Contains(err.Error(), p.Path+": "+p.Message) {
			t.Errorf("%v is not in %q", p, err)
		}
	}
	want := []string{
		"brands[0].name", "brands[0].domains[0]", "brands[0].domains[1]",
		"brands[1].match.case", "brands[1].match.within", "brands[1].match.near[0]", "brands[1].match.near[1]", "brands[1].domains[0]",
		"brands[2].aliases[0].match.prefixes[0]", "brands[2].aliases[0].match.suffixes[0]",
		"brands[2].aliases[0].match.not[0]", "brands[2].aliases[0].match.not[1]",
		"brands[3].name",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBrandsAreReadAndWrittenAsJSON(t *testing.T) {
	t.Parallel()
	const text = `{"name":"On","match":{"case":"exact","near":["shoes"],"within":4},"aliases":["On Running",{"name":"QC","match":{"case":"exact"}}],"own":true}`
	var brand mention.BrandNames
	if err := json.Unmarshal([]byte(text), &brand); err != nil {
		t.Fatal(err)
	}
	want := mention.BrandNames{
		Name: "On", Own: true, Match: mention.Match{Case: "exact", Near: []string{"shoes"}, Within: 4},
		Aliases: []mention.Alias{{Name: "On Running"}, {Name: "QC", Match: mention.Match{Case: "exact"}}},
	}
	if diff := cmp.Diff(want, brand); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if written, err := json.Marshal(brand); err != nil || string(written) != text {
		t.Errorf("wrote %s, %v", written, err)
	}
}

func TestNothingToFind(t *testing.T) {
	t.Parallel()
	rules := compile(t, panel()...)
	for _, body := range []string{"", " \n\n \n", "\u200b", "\xff\xfe", "<!-- Ollaro -->", "![Ollaro](x)", "[^1]: Ollaro"} {
		for _, format := range []mention.Format{mention.Markdown, mention.Plain} {
			if format == mention.Plain && strings.Contains(body, "Ollaro") {
				continue
			}
			if found := rules.Find(mention.Text{Body: body, Format: format, Prompt: body}); len(found.Mentions) != 0 {
				t.Errorf("%q as %s: %+v", body, format, found.Mentions)
			}
		}
	}
	if found := compile(t).Find(mention.Text{Body: "Ollaro at ollaro.example"}); len(found.Mentions) != 0 {
		t.Errorf("an empty panel: %+v", found.Mentions)
	}
}

func TestMentionHasTheIndexOfItsName(t *testing.T) {
	t.Parallel()
	rules := compile(t, mention.BrandNames{
		Name: "Ollaro", Aliases: []mention.Alias{{Name: "OL"}, {Name: "Ollaro Sports"}}, Domains: []string{"ollaro.example", "ol.example"},
	})
	found := rules.Find(mention.Text{Body: "Ollaro Sports, Ollaro, OL; ol.example"})
	var names []int
	for _, m := range found.Mentions {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]int{2, 0, 1, 1}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// cited is the sentence of a mention and its citations.
type cited struct {
	Sentence string
	Sources  []int
	Links    []string
}

func TestSentencesAndCitations(t *testing.T) {
	t.Parallel()
	sources := []mention.Source{{URL: "https://lab.example/a"}, {URL: "https://lab.example/b"}, {URL: "https://lab.example/c"}}
	tests := []struct {
		name, body string
		want       []cited
	}{
		{"numbers behind the stop", "Ollaro is light.[1][3] Kestrin is not. [2]", []cited{
			{"Ollaro is light.[1][3]", []int{0, 2}, nil}, {"Kestrin is not. [2]", []int{1}, nil},
		}},
		{"links", "Ollaro is [light](https://lab.example/a?utm_source=x). Kestrin ([lab.example](https://lab.example/b)) is not, see https://other.example/x.", []cited{
			{"Ollaro is [light](https://lab.example/a?utm_source=x).", []int{0}, []string{"https://lab.example/a?utm_source=x"}},
			{"Kestrin ([lab.example](https://lab.example/b)) is not, see https://other.example/x.", []int{1}, []string{"https://lab.example/b", "https://other.example/x"}},
		}},
		{"a citation behind the stop belongs to the sentence before", "Ollaro leads. ([lab.example](https://lab.example/a)) Kestrin follows.", []cited{
			{"Ollaro leads. ([lab.example](https://lab.example/a))", []int{0}, []string{"https://lab.example/a"}}, {"Kestrin follows.", nil, nil},
		}},
		{"footnotes", "Ollaro leads.[^x] Kestrin follows.\n\n[^x]: See https://lab.example/b and [c](https://lab.example/c).", []cited{
			{"Ollaro leads.", []int{2, 1}, []string{"https://lab.example/c", "https://lab.example/b"}}, {"Kestrin follows.", nil, nil},
		}},
		{"abbreviations, and a name over a stop", "Use e.g. Ollaro or J. Kestrin. Dr. Veltra too.", []cited{
			{"Use e.g. Ollaro or J. Kestrin.", nil, nil}, {"Use e.g. Ollaro or J. Kestrin.", nil, nil}, {"Dr. Veltra too.", nil, nil},
		}},
		{"other scripts", "Ollaroは軽い【2】。Kestrinは違う。", []cited{{"Ollaroは軽い【2】。", []int{1}, nil}, {"Kestrinは違う。", nil, nil}}},
		{"quotes and blocks", "“Ollaro wins!” he said.\n\n- Kestrin [9]\n- Veltra [0]", []cited{
			{"“Ollaro wins!” he said.", nil, nil}, {"Kestrin [9]", nil, nil}, {"Veltra [0]", nil, nil},
		}},
	}
	rules := compile(t, append(panel(), mention.BrandNames{Name: "Dr. Veltra"})...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := rules.Find(mention.Text{Body: test.body, Sources: sources})
			var got []cited
			for _, m := range found.Mentions {
				c := cited{Sentence: test.body[m.SentenceStart:m.SentenceEnd], Sources: m.Sources}
				for _, link := range m.Links {
					c.Links = append(c.Links, found.Links[link].URL)
				}
				got = append(got, c)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSearchPage(t *testing.T) {
	t.Parallel()
	rules := compile(t, panel()...)
	found := rules.Search(mention.SearchPage{
		Organic: []mention.Organic{
			{Title: "Kestrin **or** Ollaro?", Snippet: "No information about Ollaro."},
			{Title: "Ollaro", Snippet: "Ollaro, Kestrin"},
			{Title: "x", Snippet: ""},
			{Title: "y", Snippet: "kestrin.example"},
		},
		Overview: &mention.Text{Body: "best Ollaro shoes for trails\n\n1. **Veltra**", Prompt: "Best Ollaro shoes for trails?"},
		Panel:    []string{"Kestrin", "Maker of shoes, like Ollaro"},
	})
	type place struct {
		Where    mention.Where
		Index    int
		Brand    int
		Kind     mention.Kind
		Position int
		ListRank int
	}
	var got []place
	for _, m := range found.Mentions {
		got = append(got, place{m.Where, m.Index, m.Brand, m.Kind, m.Position, m.ListRank})
	}
	want := []place{
		{"title", 0, 1, "name", 1, 0},
		{"title", 0, 0, "name", 2, 0},
		{"title", 1, 0, "name", 2, 0},
		{"snippet", 0, 0, "absent", 0, 0},
		{"snippet", 1, 0, "name", 2, 0},
		{"snippet", 1, 1, "name", 1, 0},
		{"snippet", 3, 1, "domain", 1, 0},
		{"overview", 0, 2, "name", 3, 1},
		{"panel", 0, 1, "name", 1, 0},
		{"panel", 1, 0, "name", 2, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCollisions(t *testing.T) {
	t.Parallel()
	rules := compile(t,
		mention.BrandNames{Name: "Apple", Aliases: []mention.Alias{{Name: "Apple Inc"}}},
		mention.BrandNames{Name: "Apple Watch"},
		mention.BrandNames{Name: "Pineapple", Aliases: []mention.Alias{{Name: "ÁPPLE"}}},
	)
	want := []mention.Collision{
		{Name: mention.NameRef{Brand: 2, Name: 1}, Within: mention.NameRef{}, Equal: true},
		{Name: mention.NameRef{Brand: 2, Name: 1}, Within: mention.NameRef{Name: 1}},
		{Name: mention.NameRef{}, Within: mention.NameRef{Brand: 1}},
		{Name: mention.NameRef{Brand: 2, Name: 1}, Within: mention.NameRef{Brand: 1}},
		{Name: mention.NameRef{}, Within: mention.NameRef{Brand: 2, Name: 1}, Equal: true},
	}
	if diff := cmp.Diff(want, rules.Collisions()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRulesAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	rules := compile(t, panel()...)
	text := mention.Text{Body: "1. Ollaro at ollaro.example\n2. Kestrin\n\nNo mention of Veltra.", Prompt: "Which shoes?"}
	want := rules.Find(text)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, rules.Find(text), cmpopts.IgnoreUnexported(mention.Mention{}, mention.Link{})); diff != "" {
					t.Errorf("-want +got\n%s", diff)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestCiting(t *testing.T) {
	t.Parallel()
	body := "No page here. Shoes wear out [a](https://a.example/x)! See J. Doe [2][1].\n\n- Light, says [b](https://b.example/).\n- Heavy.\n\n[1]\n\nhttps://c.example/y"
	var got []string
	for _, s := range compile(t, panel()...).Citing(mention.Text{Body: body, Sources: []mention.Source{{URL: "https://one.example/"}, {URL: "https://two.example/"}}}) { // numbered from 1
		got = append(got, body[s.Start:s.End]+" | "+strings.Join(s.URLs, " "))
	}
	want := []string{
		"Shoes wear out [a](https://a.example/x)! | https://a.example/x",
		"See J. Doe [2][1]. | https://two.example/ https://one.example/",
		"Light, says [b](https://b.example/). | https://b.example/",
		"Heavy.\n\n[1] | https://one.example/",
		"Heavy.\n\n[1]\n\nhttps://c.example/y | https://c.example/y",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
