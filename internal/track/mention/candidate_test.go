package mention_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/mention"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	rules, err := mention.Compile([]mention.BrandNames{
		{Name: "Ollaro"},
		{Name: "On", Match: mention.Match{Case: "exact", Near: []string{"shoes"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := mention.Text{Prompt: "Best Trail Shoes", Body: strings.Join([]string{
		"Our picks, **Quellmark** and *Nordvale Drift*, but not **very light** ones, **$120**, **Pros:** or **Trail Shoes**.",
		"", "1. Kestrin Lumen – strong value", "2. **Ollaro Aero**: light", "3. On", "4. This one is a whole sentence that names nobody.", "   - Vorteile: leicht",
		"5. 資生堂：美肌", "6. Kestrin Lumen (again)", "", "```", "- Code", "```",
	}, "\n")}
	var got []string
	for _, c := range rules.Candidates(text) {
		got = append(got, string(c.As)+" "+c.Text)
	}
	want := []string{"emphasis Quellmark", "emphasis Nordvale Drift", "list Kestrin Lumen", "list 資生堂"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	one, ok := rules.Candidate(" QUELLMARK ", "")
	if other := rules.Candidates(mention.Text{Body: "**Quellmark**"}); !ok || one.As != mention.Entity || len(other) != 1 || other[0].Key != one.Key {
		t.Errorf("an entity is %+v, and in bold %+v", one, other)
	}
	if c, ok := rules.Candidate("On", ""); ok {
		t.Errorf("a name of the panel is %+v", c)
	}
}

func FuzzCandidates(f *testing.F) {
	f.Add("1. **A\xff** – x", "prompt")
	f.Add("- *資生堂*: [x](y)\n\n[^1]: **Z**", "")
	rules, err := mention.Compile([]mention.BrandNames{{Name: "Ollaro"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, prompt string) {
		for _, c := range rules.Candidates(mention.Text{Body: body, Prompt: prompt}) {
			if c.Key == "" || c.Text != strings.TrimSpace(c.Text) {
				t.Errorf("a candidate is %+v", c)
			}
		}
	})
}
