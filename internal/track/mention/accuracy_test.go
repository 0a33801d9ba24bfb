package mention_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot/internal/track/mention"
	labworld "earshot/internal/upstream/lab/world"
)

// written is a text and the brands that it names. They are known from the writer of the text,
// not from the search.
type written struct {
	mention.Text
	names map[string]bool
}

// detect writes that many texts and returns precision and recall of the search for brands. A
// brand in an absence clause is not named.
func detect(t *testing.T, panel []mention.BrandNames, texts int, write func(n int, r *rand.Rand) written) (precision, recall float64) {
	t.Helper()
	rules, err := mention.Compile(panel)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	found, named, both := 0.0, 0.0, 0.0
	for n := range texts {
		text := write(n, r)
		got := rules.Find(text.Text).Mentions
		for i, brand := range panel {
			isFound := slices.ContainsFunc(got, func(m mention.Mention) bool { return m.Brand == i && m.Counts() })
			if isFound {
				found++
			}
			if text.names[brand.Name] {
				named++
				if isFound {
					both++
				}
			}
		}
	}
	return both / found, both / named
}

// stated is the precision and the recall that docs/statistics.md promises.
const stated = 0.995

func TestBrandsInWrittenTextsAreFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		panel []mention.BrandNames
		write func(n int, r *rand.Rand) written
	}{"answers of the lab": {labPanel(), writeLab}, "hard texts": {hardPanel, writeHard}} {
		precision, recall := detect(t, test.panel, 500, test.write)
		t.Logf("%s: precision %.4f, recall %.4f", name, precision, recall)
		if precision < stated || recall < stated {
			t.Errorf("%s have precision %.4f and recall %.4f, stated %v", name, precision, recall, stated)
		}
	}
	// The texts are hard: without matching rules, both are worse than stated.
	bare := slices.Clone(hardPanel)
	for i := range bare {
		bare[i].Match = mention.Match{}
	}
	if precision, recall := detect(t, bare, 500, writeHard); precision >= stated || recall >= stated {
		t.Errorf("without matching rules the precision is %.4f and the recall %.4f", precision, recall)
	}
}

// labLanguages are the languages and countries of the lab.
var labLanguages = [][2]string{{"en", "US"}, {"de", "DE"}, {"es", "ES"}, {"fr", "FR"}, {"it", "IT"}, {"ja", "JP"}, {"nl", "NL"}, {"pt", "PT"}}

// labRates are brands in several scripts, each named in about half of the answers.
var labRates = &labworld.Rates{
	Brands: []labworld.BrandRate{
		{Name: "Ollaro", Rate: 0.5, Domains: []string{"ollaro.example"}},
		{Name: "Café Lumio", Rate: 0.5, Domains: []string{"lumio.example"}},
		{Name: "Q&R", Rate: 0.5, Domains: []string{"qr.example"}},
		{Name: "星河堂", Rate: 0.5, Domains: []string{"xinghe.example"}},
		{Name: "Мирель", Rate: 0.5, Domains: []string{"mirel.example"}},
	},
	PromptNoise: 0.5,
}

func labPanel() (panel []mention.BrandNames) {
	for _, b := range labRates.Brands {
		panel = append(panel, mention.BrandNames{Name: b.Name, Domains: b.Domains})
	}
	return panel
}

// writeLab returns an answer of the lab, and the brands that the lab chose to name.
func writeLab(n int, _ *rand.Rand) written {
	place := labLanguages[n%len(labLanguages)]
	q := labworld.Question{
		Prompt: "best rucksack for long walks", Language: place[0], Country: place[1], Search: true, Assistant: "accuracy",
		Sample: &labworld.Sample{Rates: labRates, Seed: fmt.Sprint(n)},
	}
	answer := labworld.Compose(q)
	text := written{Text: mention.Text{Prompt: q.Prompt}, names: map[string]bool{}}
	for _, m := range labworld.Named(q) {
		text.names[m.Name] = true
	}
	for _, s := range answer.Sources {
		text.Sources = append(text.Sources, mention.Source{URL: s.URL, Title: s.Title})
	}
	text.Body = labworld.Markdown(answer.Blocks, func(span labworld.Span) string {
		switch {
		case len(span.Cites) > 0:
			return fmt.Sprintf("[%d](%s)", answer.Footnote(span.Cites[0]), span.Cites[0].URL)
		case span.Strong, span.Brand:
			return "**" + labworld.Escape(span.Text) + "**"
		default:
			return labworld.Escape(span.Text)
		}
	})
	return text
}

// writeHard returns a text of sentences that name a brand in unusual spellings, and of
// sentences that contain the name of a brand without naming the brand.
func writeHard(_ int, r *rand.Rand) written {
	text := written{names: map[string]bool{}}
	one := func(from []string) string { return from[r.IntN(len(from))] }
	var pieces []string
	for range 4 {
		brand := one(plainNames)
		switch r.IntN(4) {
		case 0: // named, in an unusual spelling
			text.names[brand] = true
			pieces = append(pieces, strings.ReplaceAll(one(naming), "{}", disguises[r.IntN(len(disguises))](brand)))
		case 1: // not named
			pieces = append(pieces, strings.ReplaceAll(one(decoys), "{}", brand))
		default: // depends on matching rules or on a script
			special := specials[r.IntN(len(specials))]
			if special.named {
				text.names[special.brand] = true
			}
			pieces = append(pieces, special.text)
		}
	}
	if r.IntN(3) == 0 {
		text.Prompt = "is " + one(plainNames) + " worth its price for most people"
		pieces = append(pieces, "> "+text.Prompt+"?")
	}
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	if r.IntN(3) == 0 { // a list of sources at the end, which is not searched
		pieces = append(pieces, "## "+one(sourceHeadings)+"\n\n- "+one(plainNames)+" in our test, third edition\n- "+one(plainNames))
	}
	text.Body = strings.Join(pieces, "\n\n"+padding+"\n\n")
	return text
}
