package websearch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
)

// boxPage is a page with %s before a result.
const boxPage = `<!DOCTYPE html><html><body><div id="search"><div id="rso">%s<div><div>` +
	`<a href="https://other.example/"><h3>Other page</h3><cite>other.example</cite></a></div><div data-sncf="1">Other text.</div></div></div></div></body></html>`

// parseBox parses boxPage with a block in it.
func parseBox(t *testing.T, block string) *earshot.WebSearch {
	t.Helper()
	result, err := parse(fmt.Appendf(nil, boxPage, block))
	found, ok := result.(*earshot.WebSearch)
	if err != nil || !ok {
		t.Fatalf("%+v, %v", result, err)
	}
	if len(found.OrganicResults) != 1 || found.OrganicResults[0].Snippet != "Other text." {
		t.Errorf("results are %+v", found.OrganicResults)
	}
	return found
}

// The end of a featured snippet: the link to its source, and the link to help about snippets.
const (
	snippetSource = `<div><div><a href="https://northpeak.example/boots"><h3>Boots | Northpeak</h3><cite>northpeak.example › boots</cite></a></div></div>`
	snippetHelp   = `<div><a href="/url?url=https://support.google.com/websearch?p%3Dfeatured_snippets%26hl%3Den">About featured snippets</a></div>`
)

func TestFeaturedSnippets(t *testing.T) {
	t.Parallel()
	const steps = `<div><div role="heading" aria-level="3">How to lace boots</div><div><ol><li>Pull <b>tight</b></li><li>Tie</li></ol>` +
		`<div><a href="https://northpeak.example/boots">More items...</a></div></div></div>`
	list := earshot.FeaturedSnippet{Type: "list", Text: "How to lace boots Pull tight Tie", Items: []string{"Pull tight", "Tie"}}
	for name, test := range map[string]struct {
		block string
		want  earshot.FeaturedSnippet
	}{
		"list": {`<div data-ved="1t:6924"><h2>Featured snippet from the web</h2><div>` + steps + snippetSource + `</div></div>`, list},
		"unmarked list": {
			`<div><div><h2>Featured snippet from the web</h2><div>` + steps + snippetSource + `</div></div>` + snippetHelp + `</div>`, list,
		},
		"unordered list": {
			`<div><div><ul><li>Wool</li><li>Felt</li></ul>` + snippetSource + `</div>` + snippetHelp + `</div>`,
			earshot.FeaturedSnippet{Type: "list", Text: "Wool Felt", Items: []string{"Wool", "Felt"}},
		},
		"table": {
			`<div data-ved="1t:6924"><div><table><tr><th>Boot</th><th>Weight</th></tr><tr><td>Ridge</td><td>900 g</td></tr></table></div>` + snippetSource + `</div>`,
			earshot.FeaturedSnippet{Type: "table", Text: "Boot Weight Ridge 900 g", Items: []string{"Boot Weight", "Ridge 900 g"}},
		},
		"paragraph": {
			`<div><div><div data-attrid="wa:/description"><span>Boots keep feet <b>dry</b>.</span></div></div>` + snippetSource + `</div>`,
			earshot.FeaturedSnippet{Type: "paragraph", Text: "Boots keep feet dry."},
		},
		"old paragraph": {
			`<div data-ved="1t:6924"><div><div role="heading" aria-level="3">Boots keep feet dry.</div></div><div data-attrid="ss:/webfacts:use">Use: hiking</div>` +
				snippetSource + `</div>`,
			earshot.FeaturedSnippet{Type: "paragraph", Text: "Boots keep feet dry."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := parseBox(t, test.block)
			test.want.Title, test.want.Link, test.want.Domain = "Boots | Northpeak", "https://northpeak.example/boots", "northpeak.example"
			if diff := cmp.Diff(&test.want, found.FeaturedSnippet); diff != "" {
				t.Error(diff)
			}
			if first := found.Layout[0].Type; first != earshot.BlockFeaturedSnippet {
				t.Errorf("the first block is %s", first)
			}
		})
	}
}

// TestSnippetHelpAlone checks that a link to the help about snippets alone is not a snippet.
func TestSnippetHelpAlone(t *testing.T) {
	t.Parallel()
	found := parseBox(t, `<div><div><video></video></div>`+snippetHelp+`</div>`)
	if found.FeaturedSnippet != nil {
		t.Errorf("featured snippet is %+v", found.FeaturedSnippet)
	}
}

func TestAnswerBoxes(t *testing.T) {
	t.Parallel()
	const definition = `<div data-attrid="DictionaryHeader"><h2>Dictionary</h2>Definitions from <a href="https://words.example/en">Word Books</a> · <a href="https://support.google.com/x">Learn more</a></div>` +
		`<div role="dialog"><div role="heading" aria-level="2">Choose what you are giving feedback on</div></div>` +
		`<div data-attrid="EntryHeader"><span data-dobid="hdw">cis·tern</span><div>/ˈsistərn/</div><a href="/search?q=pronounce&amp;stick=1">Learn to pronounce</a></div><div>noun</div>` +
		`<ol><li><div data-attrid="SenseDefinition"><div data-dobid="dfn">a tank for <a href="/search?q=store">storing</a> water.</div><div>"an iron cistern"</div></div></li>` +
		`<li><div data-attrid="SenseDefinition"><div data-dobid="dfn">an underground reservoir.</div></div></li><li style="display:none"><div data-attrid="SenseDefinition">a hidden one.</div></li></ol>`
	for name, test := range map[string]struct {
		block string
		want  earshot.AnswerBox
	}{
		"definition": {definition, earshot.AnswerBox{
			Type: "definition", Title: "cistern", Link: "https://words.example/en",
			Text: `a tank for storing water. "an iron cistern" an underground reservoir.`,
		}},
		"old definition": {
			`<div><span data-dobid="hdw">felt</span><div data-dobid="dfn"><span>a kind of cloth.</span></div></div>`,
			earshot.AnswerBox{Type: "definition", Title: "felt", Text: "a kind of cloth."},
		},
		"translation": {
			`<div id="tw-container"><h2>Translation result</h2><div role="button">English</div><textarea id="tw-source-text-ta">good morning</textarea>` +
				`<pre id="tw-target-text"><span>bonjour</span><span>. . .</span></pre><pre id="tw-target-text-feminine"><span>Translation</span></pre>` +
				`<a href="https://support.google.com/translate/answer/1">Read more</a></div>`,
			earshot.AnswerBox{Type: "other", Title: "good morning", Text: "bonjour"},
		},
		"units": {
			`<div><h2>Unit Converter</h2><select><option selected>Temperature</option></select><div id="HG5Seb"><input value="100"><select><option>Kelvin</option>` +
				`<option selected>Fahrenheit</option></select></div><div>=</div><div id="NotFQb"><input value="37.7778"><select><option selected>Celsius</option></select></div></div>`,
			earshot.AnswerBox{Type: "conversion", Text: "100 Fahrenheit = 37.7778 Celsius"},
		},
		"currencies": {
			`<div id="knowledge-currency__updatable-data-column"><div data-exchange-rate="0.92"><div>1 United States Dollar equals</div><div><span>0.92</span> <span>Euro</span></div></div>` +
				`<div>Mar 4, 17:00 UTC · <a href="/intl/en/disclaimer">Disclaimer</a></div><input value="1"></div>`,
			earshot.AnswerBox{Type: "conversion", Text: "1 United States Dollar equals 0.92 Euro"},
		},
		"tournament": {
			`<div data-ved="1t:38540"><h2>Sports results</h2><div>Harbor Cup</div><div role="tablist"><a role="tab">Round 1</a></div><ol><li>1 of 9<a href="javascript:history.go(0)">Refresh the page</a></li></ol><table><tr><td>1</td><td>Ada Pell</td></tr></table></div>`,
			earshot.AnswerBox{Type: "sports", Title: "Sports results", Text: "Harbor Cup 1 Ada Pell"},
		},
		"weather": {
			`<div id="wob_wc"><div id="wob_loc">Harbor Falls</div><div id="wob_dts">Friday 14:00</div><div><span id="wob_dc">Sunny</span></div>` +
				`<div role="heading" aria-level="1"><span id="wob_tm">67</span><span id="wob_ttm" style="display:none">19</span></div><div><span>°F</span><span style="display:none">°C</span></div>` +
				`<div>Precipitation: <span id="wob_pp">0%</span></div><div id="wob_gsp"><div>68</div></div><div id="wob_dp"><div>Sat 70° 51°</div></div>` +
				`<a href="https://support.google.com/websearch/answer/13687874">Weather data</a></div>`,
			earshot.AnswerBox{Type: "weather", Title: "Harbor Falls", Text: "Friday 14:00 Sunny 67 °F Precipitation: 0%"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := parseBox(t, `<div>`+test.block+`</div>`)
			if diff := cmp.Diff(&test.want, found.AnswerBox); diff != "" {
				t.Error(diff)
			}
			if first := found.Layout[0]; first.Type != earshot.BlockAnswerBox || first.Count != 1 {
				t.Errorf("the first block is %+v", first)
			}
		})
	}
}

func TestJobsByLink(t *testing.T) {
	t.Parallel()
	const address = "https://www.search.lab.test/search?q=boots+jobs&ibp=htl;jobs#htidocid=1"
	want := earshot.JobPosting{Position: 1, Title: "Boot tester", Company: "Northpeak", Location: "Harbor Falls", Source: "Lab Jobs", Link: address}
	const head = `<div><div role="heading" aria-level="2">Jobs</div><a href="/search?q=boots+jobs&amp;ibp=htl;jobs">Near Harbor Falls</a>%s<a href="/search?q=boots+jobs&amp;ibp=htl;jobs"><div>100+ more jobs</div></a></div>`
	const text = `<div role="heading" aria-level="3">Boot tester</div><div>Northpeak</div><div>Harbor Falls</div><div>via Lab Jobs</div><div>3 days ago • Full-time</div>`
	for name, card := range map[string]string{
		"link around": `<ul><li><a href="` + address + `"><div>N</div>` + text + `</a></li></ul>`,
		"button":      `<ul><li role="button"><div>N</div>` + text + `</li></ul>`,
		"link beside": `<ul><li><a href="` + address + `"></a><div>` + text + `</div><a href="` + address + `">Details</a></li></ul>`,
		"no heading":  `<a href="` + address + `"><div aria-hidden="true">N</div><div>Boot tester</div><div>Northpeak</div><div>Harbor Falls • via Lab Jobs</div></a>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := parseBox(t, fmt.Sprintf(head, card))
			want := want
			if !strings.Contains(card, address) {
				want.Link = ""
			}
			if diff := cmp.Diff([]earshot.JobPosting{want}, found.Jobs); diff != "" {
				t.Error(diff)
			}
			if len(found.Layout) != 2 || found.Layout[0].Type != earshot.BlockJobs {
				t.Errorf("layout is %+v", found.Layout)
			}
		})
	}
	found := parseBox(t, `<div><div>`+fmt.Sprintf(head, `<i></i>`)+`</div></div>`)
	if first := found.Layout[0]; first.Type != earshot.BlockUnknown || first.Title != "Jobs" || found.Jobs != nil {
		t.Errorf("jobs that cannot be read are %+v, %+v", first, found.Jobs)
	}
}

// TestFeaturedResultsOfPanel checks that the results in a panel are a carousel and not results.
func TestFeaturedResultsOfPanel(t *testing.T) {
	t.Parallel()
	found := parseBox(t, `<div role="complementary"><div data-attrid="title">Northpeak</div><div data-attrid="description">Makes boots.</div>`+
		`<div data-attrid="VisualDigestFirstImageResult"><img alt=""></div>`+
		`<a href="https://videos.example/1" data-attrid="VisualDigestVideoResult"><div>3:03</div><div>Videos • Northpeak</div><div>Aug 22, 2024</div><div>How boots are made</div></a>`+
		`<div data-attrid="VisualDigestWebResult"><a href="https://news.example/1"></a><div><div>The News</div><div>A visit to Northpeak</div><div>Boots everywhere.</div></div></div>`+
		`<div data-attrid="VisualDigestSocialMediaResult"><a href="https://posts.example/1"><div>@northpeak</div><div>Posts</div><div>New boots are here today</div><div>1 day ago</div></a></div></div>`)
	want := []earshot.Carousel{{Title: "Northpeak", Items: []earshot.CarouselItem{
		{Position: 1, Title: "How boots are made", Subtitle: "Videos • Northpeak · Aug 22, 2024", Link: "https://videos.example/1"},
		{Position: 2, Title: "A visit to Northpeak", Subtitle: "The News · Boots everywhere.", Link: "https://news.example/1"},
		{Position: 3, Title: "New boots are here today", Subtitle: "@northpeak · Posts · 1 day ago", Link: "https://posts.example/1"},
	}}}
	if diff := cmp.Diff(want, found.Carousels); diff != "" {
		t.Error(diff)
	}
	if len(found.Layout) != 2 || found.Layout[0].Type != earshot.BlockKnowledgeGraph {
		t.Errorf("layout is %+v", found.Layout)
	}
}
