package selfcheck

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"earshot/internal/track/mention"
	labworld "earshot/internal/upstream/lab/world"
)

// What is stated of detection: of the brands that are found in a text so many are named
// there, and of those that are named so many are found.
var (
	foundIsNamed = Range{0.995, 1}
	namedIsFound = Range{0.995, 1}
)

// Detection writes that many texts of each kind and hands every check to report. Which
// brands a text names is known from who wrote it, and never from who looks for them.
func Detection(texts int, seed uint64, report func(Check)) {
	s := simulation{repeats: texts, seed: seed, report: report}
	s.looksFor(fmt.Sprintf("answers of the lab, %d languages", len(labLanguages)), labPanel, writeLab)
	s.looksFor("hard texts, many scripts", hardPanel, writeHard)
}

// written is a text and the brands that it names.
type written struct {
	mention.Text
	names map[string]bool
}

// looksFor counts over all texts and brands of a panel. A brand that is only said to be
// absent is not named.
func (s simulation) looksFor(setting string, panel []mention.BrandNames, write func(n int, r *rand.Rand) written) {
	rules, err := mention.Compile(panel)
	if err != nil {
		panic(err) // our own panels
	}
	const guards = "how names are found in texts"
	r := s.random("detection " + setting)
	found, named, both := 0, 0, 0
	for n := range s.repeats {
		text := write(n, r)
		got := rules.Find(text.Text).Mentions
		for i, brand := range panel {
			isFound := slices.ContainsFunc(got, func(m mention.Mention) bool { return m.Brand == i && m.Counts() })
			isNamed := text.names[brand.Name]
			found, named, both = found+count(isFound), named+count(isNamed), both+count(isFound && isNamed)
		}
	}
	s.report(ofAll("precision of detection", setting, guards, foundIsNamed, both, found))
	s.report(ofAll("recall of detection", setting, guards, namedIsFound, both, named))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// labLanguages are those in which the lab writes, and where.
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

var labPanel = func() (panel []mention.BrandNames) {
	for _, b := range labRates.Brands {
		panel = append(panel, mention.BrandNames{Name: b.Name, Domains: b.Domains})
	}
	return panel
}()

// writeLab has the lab answer a question. What it names is what the lab drew.
func writeLab(n int, _ *rand.Rand) written {
	place := labLanguages[n%len(labLanguages)]
	q := labworld.Question{
		Prompt: "best rucksack for long walks", Language: place[0], Country: place[1], Search: true, Assistant: "selfcheck",
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

// writeHard puts a text together of pieces that name a brand in ways that are easy to
// miss, and of pieces that only look as if they did.
func writeHard(_ int, r *rand.Rand) written {
	text := written{names: map[string]bool{}}
	one := func(from []string) string { return from[r.IntN(len(from))] }
	var pieces []string
	for range 4 {
		brand := one(plainNames)
		switch r.IntN(4) {
		case 0: // named, and so written differently
			text.names[brand] = true
			pieces = append(pieces, strings.ReplaceAll(one(naming), "{}", disguises[r.IntN(len(disguises))](brand)))
		case 1: // not named
			pieces = append(pieces, strings.ReplaceAll(one(decoys), "{}", brand))
		default: // by the switches of names, or the customs of a script
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
	if r.IntN(3) == 0 { // up to the end of the text
		pieces = append(pieces, "## "+one(sourceHeadings)+"\n\n- "+one(plainNames)+" in our test, third edition\n- "+one(plainNames))
	}
	text.Body = strings.Join(pieces, "\n\n"+padding+"\n\n")
	return text
}
