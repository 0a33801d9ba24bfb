package review_test

import (
	"encoding/json"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/review"
)

// BenchmarkFind measures the rules alone, without the analysis that finds the sentences, on an
// answer of 300 words that names an own brand in 4 of 20 sentences.
func BenchmarkFind(b *testing.B) {
	panel, err := analysis.NewPanel(brands)
	if err != nil {
		b.Fatal(err)
	}
	other := strings.Repeat("Runners who want a light shoe for long distances should look at the weight, the drop and the sole. ", 4)
	text := strings.Repeat("The **Ollaro Road** costs $129 and weighs 280 g, which is not only light but also recommended by most testers. "+other, 4)
	result, err := json.Marshal(map[string]any{"markdown": text})
	if err != nil {
		b.Fatal(err)
	}
	shown, err := panel.Show(result, analysis.Question{})
	if err != nil {
		b.Fatal(err)
	}
	rules := review.NewRules(panel, []earshot.Fact{{Brand: "Ollaro", Name: "price", Near: []string{"Ollaro Road"}, Is: "129 USD"}})
	b.ReportAllocs()
	for b.Loop() {
		if found := rules.Find(shown); len(found) > 0 {
			b.Fatal(found)
		}
	}
}
