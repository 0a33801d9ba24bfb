package bench

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot/internal/track/mention"
)

// answerOf4KB is an answer as assistants write them: headings, lists, emphasis, links,
// a table, sources.
func answerOf4KB() string {
	var text strings.Builder
	text.WriteString("# Best running shoes for beginners\n\nHere are my picks for **2026**, tested over [400 km](https://lab.example/test?utm_source=x):\n\n")
	for i := 1; text.Len() < 3400; i++ {
		fmt.Fprintf(&text, "%d. **Brand%02d Aero** – cushioned and light, about *$120*; it lasts longer than most others in our tests. "+
			"Runners’ knees like it, and so does the [Shoe Lab](https://shoelab.example/shoe-%d) [%d].\n   - Pros: stable heel, wide toe box\n   - Cons: heavier than a racing shoe\n", i, i*3%70, i, i)
	}
	text.WriteString("\n| Shoe | Weight |\n|---|---|\n| Brand07 | 240 g |\n| Brand11 | 255 g |\n\n## Bottom line\n\n" +
		"Pick what fits your foot. I could not find any information about Brand05, but Brand09 is a safe choice.\n\n## Sources\n\n- [All shoes compared](https://shoelab.example/all)\n")
	return text.String()
}

func panelOf50() []mention.BrandNames {
	brands := make([]mention.BrandNames, 50)
	for i := range brands {
		brands[i] = mention.BrandNames{Name: fmt.Sprintf("Brand%02d", i), Domains: []string{fmt.Sprintf("brand%02d.example", i)}}
	}
	return brands
}

// BenchmarkMention finds 50 names in an answer of 4 KB, and reports how many times as
// long one regular expression a name takes on the same text, which knows nothing of
// Markdown, folding or hosts.
func BenchmarkMention(b *testing.B) {
	text := answerOf4KB()
	rules, err := mention.Compile(panelOf50())
	if err != nil {
		b.Fatal(err)
	}
	if found := rules.Find(mention.Text{Body: text}); len(found.Mentions) < 10 {
		b.Fatalf("only %d mentions in the answer", len(found.Mentions))
	}
	var expressions []*regexp.Regexp
	for _, brand := range panelOf50() {
		expressions = append(expressions, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(brand.Name)+`\b`))
	}
	byNames := func() {
		for _, e := range expressions {
			e.FindAllStringIndex(text, -1)
		}
	}
	byRules := func() { rules.Find(mention.Text{Body: text}) }

	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		byRules()
	}
	shortest := quickest(byRules)
	b.ReportMetric(float64(shortest.Microseconds()), "quickest-µs")
	b.ReportMetric(float64(quickest(byNames))/float64(shortest), "times-regexp")
}

// quickest gives the shortest of many runs: the one that nothing else on the machine
// disturbed.
func quickest(run func()) time.Duration {
	shortest := time.Hour
	for range 100 {
		start := time.Now()
		run()
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}
