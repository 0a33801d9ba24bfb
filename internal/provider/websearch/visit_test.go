package websearch_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp/labsite"
)

// TestInABrowser checks that a browser passes consent pages and pages that need scripts, and then
// finds the same as a plain client on the page itself. It also checks the reasons of failures.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	plain := providertest.StartLab(t, engineOfLab)
	browsing, _ := plain.Browse(t, engineOfLab)
	search := func(query, more string) string {
		return fmt.Sprintf(`{"query":"garden chairs%s","country":"DE"%s}`, query, more)
	}
	gates := strings.NewReplacer("[[scripts]]", "", "[[consent]]", "")
	t.Run("cases", func(t *testing.T) {
		for query, more := range map[string]string{
			"":                                       "",
			" [[scripts]]":                           `,"pages":2`,
			" [[scripts]][[delay=1ms]]":              `,"device":"mobile"`,
			" [[consent]]":                           `,"include":{"searchoverview":{"markdown":true}}`,
			" [[consent]] [[scripts]] [[results=0]]": "",
		} {
			t.Run("found"+query, func(t *testing.T) {
				t.Parallel()
				want := ask(t, plain, search(gates.Replace(query), more))
				if diff := cmp.Diff(want, ask(t, browsing, search(query, more))); diff != "" {
					t.Errorf("without a browser (-) and with one (+):\n%s", diff)
				}
			})
		}
		for query, want := range map[string]earshot.Reason{
			"[[block]]":                  earshot.ReasonBlocked,
			"[[scripts]] [[block]]":      earshot.ReasonBlocked,
			"[[scripts]] [[empty]]":      earshot.ReasonBlocked, // the scripts do not fill the page
			"[[cut]]":                    earshot.ReasonUnavailable,
			"[[status=503]]":             earshot.ReasonUnavailable,
			"[[consent]] [[status=429]]": earshot.ReasonBlocked,
		} {
			t.Run("refused "+query, func(t *testing.T) {
				t.Parallel()
				_, err := browsing.Ask(t, engineOfLab, search(query, ""))
				if got := providertest.Reason(t, err); got != string(want) {
					t.Errorf("%s: %v", got, err)
				}
			})
		}
		t.Run("links", func(t *testing.T) {
			t.Parallel()
			want := map[string]string{
				labsite.Hide("https://shop.example/a?b"):                               "https://shop.example/a?b",
				labsite.Hide("https://shop.example/c#d") + "&lab=[[scripts]]":          "https://shop.example/c#d",
				labsite.Wrap("https://shop.example/e") + "&lab=[[consent]][[scripts]]": "https://shop.example/e",
			}
			got, err := engineOfLab.Engine.Resolve(t.Context(), browsing.Session(1), geo.Locale{Country: "DE"}, slices.Collect(maps.Keys(want)))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	})
	for _, query := range []string{"[[consent]]", "[[scripts]]"} {
		_, err := plain.Ask(t, engineOfLab, search(query, ""))
		if got := providertest.Reason(t, err); got != string(earshot.ReasonBlocked) {
			t.Errorf("%s without a browser: %v", query, err)
		}
	}
}
