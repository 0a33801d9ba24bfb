package upstreams_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/test/harness"
)

// contents are the parts of a result that metrics count.
type contents struct {
	Sources          []struct{ URL string } `json:"sources"`
	CitationPills    []struct{ URL string } `json:"citationPills"`
	SearchQueries    []string               `json:"searchQueries"`
	MapSearchQueries []string               `json:"mapSearchQueries"`
	ShoppingCards    []any                  `json:"shoppingCards"`
	InlineProducts   []any                  `json:"inlineProducts"`
	Ads              []any                  `json:"ads"`
	Layout           []any                  `json:"layout"`
	Overview         *contents              `json:"searchoverview"`
}

// filled returns the fields that have something in them.
func (c *contents) filled() (fields provider.Fields) {
	if c == nil {
		return 0
	}
	cited := map[string]bool{}
	for _, pill := range c.CitationPills {
		cited[pill.URL] = true
	}
	for field, isFilled := range map[provider.Fields]bool{
		provider.Searches:               len(c.SearchQueries)+len(c.MapSearchQueries) > 0,
		provider.Retrieved:              slices.ContainsFunc(c.Sources, func(s struct{ URL string }) bool { return !cited[s.URL] }),
		provider.Cited | provider.Pills: len(cited) > 0,
		provider.Products:               len(c.ShoppingCards)+len(c.InlineProducts) > 0,
		provider.Ads:                    len(c.Ads) > 0,
		provider.Layout:                 len(c.Layout) > 0,
	} {
		if isFilled {
			fields |= field
		}
	}
	return fields | c.Overview.filled()
}

// Each provider declares the fields of its results on every surface, and the lab fills exactly
// the fields that are declared for it.
func TestEveryProviderDeclaresItsFields(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "business", 100_000)
	for _, p := range app.Providers() {
		about := p.Definition()
		want := []earshot.Surface{earshot.SurfaceLab}
		if about.Site.URL != "" {
			want = append(want, earshot.SurfaceWeb)
		}
		if len(about.APIs) > 0 || about.Site.URL == "" {
			want = append(want, earshot.SurfaceAPI)
		}
		got := slices.Sorted(maps.Keys(about.Fields))
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s declares the fields of %v, want %v", about.Name, got, want)
		}
		body := map[string]any{}
		if err := json.Unmarshal([]byte(about.FullRequest), &body); err != nil {
			t.Fatal(err)
		}
		for _, flag := range about.Flags {
			if _, name, _ := strings.Cut(flag, "."); !strings.Contains(about.FullRequest, `"`+name+`"`) {
				t.Errorf("%s: the request for everything does not have %s", about.Name, flag)
			}
		}
		var seen provider.Fields
		for _, prompt := range []string{"best running shoes", "light shoes to buy near me", "coffee machine offers", "which bank is cheap", "shoes", "trail shoes under $100"} {
			body[about.TextField()], body["country"] = prompt, "US"
			var answer struct{ Result contents }
			n.Post(t, a, "/v1/monitor/"+about.Name, harness.JSON(t, body)).Has(t, about.Name, http.StatusOK).Into(t, &answer)
			seen |= answer.Result.filled()
		}
		if declared := about.Fields[earshot.SurfaceLab]; seen != declared {
			t.Errorf("%s: the lab fills %07b, declared are %07b", about.Name, seen, declared)
		}
	}
}

// read names the provider of each stored document of the vendors.
var read = map[string]string{
	"chatgpt": "chatassistant", "chat_gpt": "chatassistant", "gemini": "genassistant", "grok": "socialassistant", "copilot": "officeassistant", "perplexity": "answerengine",
	"responses": "answerengine", "ai_mode": "searchaimode", "aimode": "searchaimode", "web": "websearch", "serp": "websearch", "search": "websearch", "organic": "websearch",
}

// Nothing that a vendor delivers is declared as never delivered.
func TestEveryVendorDeclaresItsFields(t *testing.T) {
	t.Parallel()
	for _, v := range app.Vendors() {
		about := v.Definition()
		documents, err := filepath.Glob("../../internal/provider/via/" + about.Name + "/testdata/*.golden")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range documents {
			name := read[strings.TrimSuffix(filepath.Base(path), ".json.golden")]
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var reply struct {
				contents
				Answer, Web *contents
			}
			if name == "" || json.Unmarshal(text, &reply) != nil {
				continue // news, or a failure
			}
			// Sources may be the cited pages only, and a layout may lack blocks.
			seen := (reply.filled() | reply.Answer.filled() | reply.Web.filled()) &^ (provider.Retrieved | provider.Layout | provider.Pills)
			if declared := about.Serves[name].Fields; seen&^declared != 0 {
				t.Errorf("%s delivers %07b for %s (%s), declared are %07b", about.Name, seen, name, filepath.Base(path), declared)
			}
		}
	}
}
