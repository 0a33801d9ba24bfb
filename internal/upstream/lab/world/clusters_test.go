package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClustersAreAsManyAsAskedFor(t *testing.T) {
	t.Parallel()
	for _, country := range []string{"US", "DE", "FR", "ES", "PT", "IT", "NL", "JP", "SE"} {
		q := ask(country, "")
		for _, n := range []int{0, 1, 2, 3, 8, 100} {
			a := ComposeClusters(q, n)
			ids := map[string]bool{}
			note := func(p Product) {
				ids[p.ID] = true
				if len(p.Specifications) != 4 || p.Specifications[0].Name == "" || len(p.Offers) == 0 {
					t.Errorf("%s: incomplete product %+v", country, p)
				}
			}
			for _, card := range a.Cards {
				for _, p := range card.Products {
					note(p)
				}
			}
			for _, p := range a.Inline {
				note(p)
			}
			if len(ids) != n || len(a.Inline) != min(n, 2) {
				t.Errorf("%s: %d clusters, %d in the text, want %d", country, len(ids), len(a.Inline), n)
			}
			if diff := cmp.Diff(a, ComposeClusters(q, n)); diff != "" {
				t.Errorf("%s: two answers to one question:\n%s", country, diff)
			}
		}
	}
}
