package websearch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/websearch"
	"earshot/test/captures"
)

// realEngine is the engine whose pages were captured.
var realEngine = serp.Engine{Host: "google.com"}

// TestCaptures checks captured pages of the real engine for properties of all pages and for most of
// their results.
func TestCaptures(t *testing.T) {
	t.Parallel()
	counted := counts(t)
	for _, path := range captures.Find(t, "websearch/*.html") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			result, err := websearch.Parse(providertest.Stored(t, path), realEngine, "US")
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, result)
			expected := counted[filepath.Base(path)]
			t.Logf("organic %d of %d, questions %d, related %d, ads %d, overview %t, places %d, products %d, videos %d, discussions %d, panel %t",
				len(result.OrganicResults), expected, len(result.PeopleAlsoAsk), len(result.RelatedSearches), len(result.Ads),
				result.SearchOverview != nil, len(result.Places), products(result), len(result.Videos), len(result.Discussions), result.KnowledgeGraph != nil)
			if expected >= 7 && len(result.OrganicResults) < 5 {
				t.Errorf("%d organic results of about %d", len(result.OrganicResults), expected)
			}
			for _, found := range result.OrganicResults {
				providertest.CheckNoMarkup(t, found.Title+" "+found.Snippet)
			}
		})
	}
}

func products(result *earshot.WebSearch) int {
	n := 0
	for _, card := range result.ShoppingCards {
		n += len(card.Products)
	}
	return n
}

// TestBlockedCaptures distinguishes pages that refuse us from pages without results.
func TestBlockedCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "websearch_blocked/*.html") {
		result, err := websearch.Parse(providertest.Stored(t, path), realEngine, "US")
		if strings.Contains(path, "no_results") {
			if err != nil || len(result.OrganicResults) != 0 {
				t.Errorf("%s: %v, %+v", path, err, result)
			}
			continue
		}
		if err == nil || providertest.Reason(t, err) != string(earshot.ReasonBlocked) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

var counted = regexp.MustCompile(`\| websearch/(\S+) .*\| organic (\d+),`)

// counts returns the approximate number of organic results of each capture from the index of the
// captures.
func counts(tb testing.TB) map[string]int {
	tb.Helper()
	index, err := os.ReadFile(captures.Find(tb, "INDEX.md")[0])
	if err != nil {
		tb.Fatal(err)
	}
	found := map[string]int{}
	for _, line := range counted.FindAllSubmatch(index, -1) {
		found[string(line[1])], _ = strconv.Atoi(string(line[2]))
	}
	return found
}
