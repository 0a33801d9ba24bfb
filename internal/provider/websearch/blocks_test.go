package websearch_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/websearch"
	"earshot/test/captures"
)

// TestLabShowsEveryBlock runs several searches, because some blocks are only on some pages.
func TestLabShowsEveryBlock(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	seen := map[earshot.BlockType]bool{}
	for i := range 12 {
		result := ask(t, l, fmt.Sprintf(`{"query":"desk lamps %d","country":"US","include":{"searchoverview":{}}}`, i))
		for at, block := range result.Layout {
			seen[block.Type] = true
			if block.Position != at+1 || block.Count < 1 || (block.Type == earshot.BlockUnknown) && block.Title == "" {
				t.Errorf("block %d is %+v", at, block)
			}
		}
		checkBlocks(t, result)
	}
	for _, kind := range earshot.BlockType("").Values() {
		if !seen[kind] && kind != earshot.BlockShortVideos { // the lab has none
			t.Errorf("no page of the lab shows %s", kind)
		}
	}
}

// checkBlocks checks that the fields of every block are set.
func checkBlocks(t *testing.T, result *earshot.WebSearch) {
	t.Helper()
	for _, s := range result.TopStories {
		if s.Title == "" || s.Link == "" || s.Source == "" || s.Date == "" {
			t.Errorf("story is %+v", s)
		}
	}
	for _, i := range result.Images {
		if i.Title == "" || i.Source == "" || i.Thumbnail == "" {
			t.Errorf("image is %+v", i)
		}
	}
	for _, p := range result.Posts {
		if p.Platform == "" || p.Author == "" || p.Text == "" || p.Date == "" {
			t.Errorf("post is %+v", p)
		}
	}
	for _, c := range result.Carousels {
		for _, item := range c.Items {
			if c.Title == "" || item.Title == "" || item.Subtitle == "" || item.Link == "" || item.ImageURL == "" {
				t.Errorf("item of %q is %+v", c.Title, item)
			}
		}
	}
	for _, r := range result.Recipes {
		if r.Title == "" || r.Link == "" || r.Source == "" || r.Rating == nil || r.Reviews == nil || r.Duration == "" {
			t.Errorf("recipe is %+v", r)
		}
	}
	for _, e := range result.Events {
		if e.Title == "" || e.Link == "" || e.Source == "" || e.Date == "" || e.Venue == "" {
			t.Errorf("event is %+v", e)
		}
	}
	for _, j := range result.Jobs {
		if j.Title == "" || j.Link == "" || j.Source == "" || j.Company == "" || j.Location == "" {
			t.Errorf("job is %+v", j)
		}
	}
	if s := result.FeaturedSnippet; s != nil {
		if s.Text == "" || s.Title == "" || s.Link == "" || s.Domain == "" || (s.Type == "list") != (len(s.Items) > 0) {
			t.Errorf("featured snippet is %+v", s)
		}
		if result.OrganicResults[0].Title == s.Title && result.OrganicResults[0].Link == s.Link {
			t.Error("the featured snippet is also a result")
		}
	}
	if b := result.AnswerBox; b != nil && (b.Type != "calculator" || b.Text == "") {
		t.Errorf("answer box is %+v", b)
	}
}

var classes = regexp.MustCompile(` class=("[^"]*"|'[^']*'|[^\s>]+)`)

// TestClassNamesDecideNothing compares the results of real pages with and without class names.
func TestClassNamesDecideNothing(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "websearch/*.html") {
		document := providertest.Stored(t, path)
		with, err := websearch.Parse(document, realEngine, "US")
		if err != nil {
			t.Fatal(err)
		}
		without, err := websearch.Parse(classes.ReplaceAll(document, nil), realEngine, "US")
		if err != nil {
			t.Fatal(err)
		}
		for name, lists := range map[string][2]any{
			"organicResults":  {with.OrganicResults, without.OrganicResults},
			"peopleAlsoAsk":   {with.PeopleAlsoAsk, without.PeopleAlsoAsk},
			"relatedSearches": {with.RelatedSearches, without.RelatedSearches},
			"topStories":      {with.TopStories, without.TopStories},
			"shoppingCards":   {with.ShoppingCards, without.ShoppingCards},
			"layout":          {with.Layout, without.Layout},
		} {
			if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
				t.Errorf("%s: %s without class names:\n%.400s", path, name, diff)
			}
		}
	}
}

// TestPhotoOfPlace checks that the first image in the panel of a place is its photo, unless it is a
// map.
func TestPhotoOfPlace(t *testing.T) {
	t.Parallel()
	const page = `<!DOCTYPE html><html><body><div id="rso"><a href="https://a.example/"><h3>A</h3></a></div><div id="rhs" role="complementary">%s` +
		`<div data-attrid="title">Old Pier</div><div data-attrid="kc:/local:one line summary">Pier</div><div data-attrid="description">Old.</div>` +
		`<img src="https://a.example/visitor.jpg" alt=""></div></body></html>`
	for head, want := range map[string]string{
		`<div><img src="https://a.example/pier.jpg" alt=""></div>`:                                    "https://a.example/pier.jpg",
		`<div><img src="https://a.example/map.png" id="lu_map" alt=""></div>`:                         "",
		`<div><img src="https://www.search.lab.test/maps/vt/data=x" alt="Map of the Old Pier"></div>`: "",
	} {
		result, err := parse(fmt.Appendf(nil, page, head))
		found, ok := result.(*earshot.WebSearch)
		if err != nil || !ok || found.KnowledgeGraph == nil || found.KnowledgeGraph.ImageURL != want {
			t.Errorf("%s: %+v, %v", head, found.KnowledgeGraph, err)
		}
	}
}
