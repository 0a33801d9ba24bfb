package dataforseo_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/dataforseo"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

// providers are our providers by a part of the path of DataForSEO's tasks.
var providers = map[string]string{
	"chat_gpt/llm_scraper": "chatassistant", "perplexity/llm_responses": "answerengine", "chat_gpt/llm_responses": "answerengine",
	"google/ai_mode": "searchaimode", "google/organic": "websearch", "google/news": "websearch/news",
}

var live = map[string]string{"mode": "live"}

func question(name string) *provider.Question {
	web := name == "websearch"
	return &provider.Question{Provider: name, Text: "quiet mowers", Locale: geo.Locale{Country: "DE"}, Pages: 1, Overview: web, QuestionOverviews: web}
}

// body is the frame of all of DataForSEO's documents.
type body struct {
	Tasks []struct {
		Path   []string
		Result []map[string]any
	}
}

func decode(t *testing.T, document []byte) (name string, result map[string]any) {
	t.Helper()
	var b body
	if err := json.Unmarshal(document, &b); err != nil || len(b.Tasks) != 1 {
		t.Fatalf("%v: %.200s", err, document)
	}
	path := strings.Join(b.Tasks[0].Path, "/")
	for part, provider := range providers {
		if strings.Contains(path, part) {
			name = provider
		}
	}
	if len(b.Tasks[0].Result) > 0 {
		result = b.Tasks[0].Result[0]
	}
	return name, result
}

// parse reads a document as the answer of a live call.
func parse(t *testing.T, document []byte) (any, error) {
	t.Helper()
	name, _ := decode(t, document)
	bought, err := providertest.AskVendor(t, dataforseo.Vendor{}, providertest.Always(document), question(name), live)
	return bought.Result(), err
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, func(document []byte) (any, error) { return parse(t, document) })
}

var mark = regexp.MustCompile(`\[\[\d+\]\]\(([^)]*)\)`)

// found collects the values of a field in all objects of a type, in document order.
func found(value any, kind, field string) (list []string) {
	switch v := value.(type) {
	case map[string]any:
		if text, ok := v[field].(string); ok && v["type"] == kind {
			list = append(list, text)
		}
		for _, name := range []string{"items", "references", "sources", "brand_entities", "components", "search_results"} {
			list = append(list, found(v[name], kind, field)...)
		}
	case []any:
		for _, item := range v {
			list = append(list, found(item, kind, field)...)
		}
	}
	return list
}

// pages returns different addresses, without text fragments and tracking, sorted.
func pages(links ...string) []string {
	for i, link := range links {
		link, _, _ = strings.Cut(link, "#:~:")
		links[i] = strings.TrimSuffix(link, "?utm_source=openai")
	}
	slices.Sort(links)
	return slices.Compact(links)
}

// TestCaptures compares what is read of the samples with a simple count in their JSON.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/dataforseo/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, raw := decode(t, document)
			if isList := strings.Contains(path, "tasks_ready"); isList || strings.Contains(path, "task_post") {
				if raw != nil && !isList {
					t.Errorf("a submission has the answer %v", raw)
				}
				return
			}
			if raw == nil {
				t.Fatal("the sample has no answer")
			}
			result, err := parse(t, document)
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, result)
			switch r := result.(type) {
			case *earshot.WebSearch:
				checkWeb(t, raw, r)
			case *earshot.NewsSearch:
				var links []string
				for _, n := range r.NewsResults {
					links = append(links, n.Link)
				}
				want := append(found(raw, "news_search", "url"), found(raw, "top_stories_element", "url")...)
				if diff := cmp.Diff(pages(want...), pages(links...)); diff != "" || len(want) != len(links) {
					t.Errorf("news (-want +got):\n%s", diff)
				}
			case *earshot.Answer:
				checkAnswer(t, name, raw, r)
			}
		})
	}
}

func checkWeb(t *testing.T, raw map[string]any, r *earshot.WebSearch) {
	t.Helper()
	var links, ads []string
	for _, o := range r.OrganicResults {
		links = append(links, o.Link)
	}
	for _, ad := range r.Ads {
		ads = append(ads, ad.URL)
	}
	if diff := cmp.Diff(found(raw, "organic", "url"), links); diff != "" {
		t.Errorf("organic results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(found(raw, "paid", "url"), ads); diff != "" {
		t.Errorf("ads (-want +got):\n%s", diff)
	}
	items, _ := raw["items"].([]any)
	shown := 0
	for _, block := range r.Layout {
		shown += block.Count
	}
	if shown != len(items) {
		t.Errorf("the layout has %d items, the page %d", shown, len(items))
	}
	if want := found(raw, "featured_snippet", "url"); len(want) == 1 && (r.FeaturedSnippet == nil || r.FeaturedSnippet.Link != want[0]) {
		t.Errorf("the featured snippet is %v", r.FeaturedSnippet)
	}
}

func checkAnswer(t *testing.T, name string, raw map[string]any, a *earshot.Answer) {
	t.Helper()
	var text string
	var want, cited []string
	switch name {
	case "searchaimode":
		item, _ := raw["items"].([]any)[0].(map[string]any)
		text, _ = item["markdown"].(string)
		want = found(raw, "ai_overview_reference", "url")
	case "chatassistant":
		text, _ = raw["markdown"].(string)
		want = found(raw, "chat_gpt_source", "url")
	default:
		data, err := json.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"title":"[^"]*","url":"([^"]*)"`).FindAllSubmatch(data, -1) {
			want = append(want, string(m[1]))
		}
		for _, m := range regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`).FindAllSubmatch(data, -1) {
			var part string
			if err := json.Unmarshal([]byte(`"`+string(m[1])+`"`), &part); err != nil {
				t.Fatal(err)
			}
			text += part
		}
	}
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		cited = append(cited, m[1])
	}
	var got []string
	for _, source := range a.Sources {
		got = append(got, source.URL)
	}
	if diff := cmp.Diff(pages(append(want, cited...)...), pages(got...)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if len(a.CitationPills) != len(cited) {
		t.Errorf("%d pills, %d citations", len(a.CitationPills), len(cited))
	}
	text = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`).ReplaceAllString(mark.ReplaceAllString(text, ""), "")
	text = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(text, "]")
	if want, got := providertest.Letters(text), providertest.Letters(a.Text); want != got || got == "" {
		t.Errorf("the text is\n%s\nwant\n%s", a.Text, text)
	}
	for _, link := range found(raw, "chat_gpt_search_result", "url") {
		if slices.Contains(got, link) {
			t.Errorf("%s was found and not cited, but is a source", link)
		}
	}
	products := 0
	for _, card := range a.ShoppingCards {
		products += len(card.Products)
	}
	if want := len(found(raw, "chat_gpt_products_element", "title")); products != want {
		t.Errorf("%d products, want %d", products, want)
	}
	if want := len(found(raw, "chat_gpt_brand_entity", "title")); len(a.Entities) != want {
		t.Errorf("%d entities, want %d", len(a.Entities), want)
	}
	if want := len(found(raw, "ai_overview_video_element", "url")); len(a.Videos) != want {
		t.Errorf("%d videos, want %d", len(a.Videos), want)
	}
}

// TestRequests checks what is sent for each provider in live mode.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question *provider.Question
		path     string
		want     map[string]any
	}{
		{
			&provider.Question{Provider: "chatassistant", Text: "50% off C++", Locale: geo.Locale{Country: "US", State: "CA"}},
			"/ai_optimization/chat_gpt/llm_scraper/live/advanced",
			map[string]any{"keyword": "50%25 off C%2B%2B", "language_code": "en", "location_name": "California,United States", "force_web_search": true},
		},
		{
			&provider.Question{Provider: "genassistant", Text: "a", Locale: geo.Locale{Country: "TW"}},
			"/ai_optimization/gemini/llm_scraper/live/advanced",
			map[string]any{"keyword": "a", "language_code": "zh-TW", "location_code": 2158.},
		},
		{
			&provider.Question{Provider: "answerengine", Text: "50% off", Locale: geo.Locale{Country: "FR"}},
			"/ai_optimization/perplexity/llm_responses/live",
			map[string]any{"user_prompt": "50% off", "model_name": "sonar", "web_search_country_iso_code": "FR"},
		},
		{
			&provider.Question{Provider: "searchaimode", Text: "a", Locale: geo.Locale{Country: "DE", Language: "en"}, Device: earshot.Mobile},
			"/serp/google/ai_mode/live/advanced",
			map[string]any{"keyword": "a", "language_code": "en", "location_code": 2276., "device": "mobile", "os": "android"},
		},
		{
			&provider.Question{Provider: "websearch", Text: "a", Locale: geo.Locale{Country: "GB"}, Location: "London,England,United Kingdom", Pages: 3, Overview: true, Device: earshot.IOS},
			"/serp/google/organic/live/advanced",
			map[string]any{
				"keyword": "a", "language_code": "en", "location_name": "London,England,United Kingdom", "device": "mobile", "os": "ios",
				"depth": 30., "max_crawl_pages": 3., "load_async_ai_overview": true,
			},
		},
		{
			&provider.Question{Provider: "websearch/news", Text: "a", Locale: geo.Locale{Country: "AF", Language: "en"}},
			"/serp/google/news/live/advanced",
			map[string]any{"keyword": "a", "language_code": "en", "location_code": 2004., "depth": 10., "max_crawl_pages": 1.},
		},
	} {
		t.Run(c.question.Provider, func(t *testing.T) {
			t.Parallel()
			site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var got []map[string]any
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil || len(got) != 1 {
					t.Errorf("%d tasks, %v", len(got), err)
				} else if diff := cmp.Diff(c.want, got[0]); diff != "" || r.URL.Path != c.path || r.Method != http.MethodPost {
					t.Errorf("%s %s (-want +got):\n%s", r.Method, r.URL.Path, diff)
				}
				if r.Header.Get("Authorization") != "Basic "+providertest.VendorKey {
					t.Errorf("the key is %q", r.Header.Get("Authorization"))
				}
				http.Error(w, `{"status_code":50000,"status_message":"Internal Error."}`, http.StatusInternalServerError)
			})
			if _, err := providertest.AskVendor(t, dataforseo.Vendor{}, site, c.question, live); err == nil {
				t.Error("an internal error is no error")
			}
		})
	}
}

// TestErrors checks the failures of live calls, by the codes of the whole answer and of the task.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int // HTTP
		body   string
		reason earshot.Reason
		final  bool
		cost   upstream.USD
		priced bool // the cost is the list price, because the answer has no figure
	}{
		"key":            {401, `{"status_code":40100,"status_message":"You are not authorized"}`, earshot.ReasonBlocked, true, 0, false},
		"money":          {402, `{"status_code":40200,"status_message":"Payment Required."}`, earshot.ReasonBlocked, true, 0, false},
		"money in 200":   {200, `{"status_code":40203,"status_message":"Daily cost limit."}`, earshot.ReasonBlocked, true, 0, false},
		"rate":           {200, `{"status_code":40202,"status_message":"Rate limit."}`, earshot.ReasonBlocked, false, 0, false},
		"internal":       {200, `{"status_code":50000,"status_message":"Internal Error."}`, earshot.ReasonUnavailable, false, 0, false},
		"field":          {200, `{"status_code":20000,"cost":0,"tasks":[{"status_code":40501,"status_message":"Invalid Field: 'keyword'."}]}`, earshot.ReasonUnavailable, true, 0, false},
		"search engine":  {200, `{"status_code":20000,"cost":0.0012,"tasks":[{"status_code":40101,"status_message":"Internal SE Server Error."}]}`, earshot.ReasonUnavailable, false, 1_200_000, false},
		"no answer":      {200, `{"status_code":20000,"cost":0.004,"tasks":[{"status_code":40102,"status_message":"No Search Results."}]}`, earshot.ReasonEmpty, true, 4_000_000, false},
		"queued":         {200, `{"status_code":20000,"cost":0,"tasks":[{"status_code":40602,"status_message":"Task In Queue."}]}`, earshot.ReasonUnavailable, false, 0, false},
		"without result": {200, `{"status_code":20000,"cost":0.004,"tasks":[{"status_code":20000,"result":null}]}`, earshot.ReasonUnreadable, false, 4_000_000, false},
		"without answer": {200, `{"status_code":20000,"cost":0.004,"tasks":[{"status_code":20000,"result":[{"items":[]}]}]}`, earshot.ReasonEmpty, true, 4_000_000, false},
		"without tasks":  {200, `{"status_code":20000,"cost":0,"tasks":null}`, earshot.ReasonUnreadable, false, 0, false},
		"no JSON":        {200, `<html>`, earshot.ReasonUnreadable, false, 4_000_000, true},
		"other JSON":     {200, `[]`, earshot.ReasonUnreadable, false, 4_000_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, c.body, c.status) })
			bought, err := providertest.AskVendor(t, dataforseo.Vendor{}, site, question("searchaimode"), live)
			failure, ok := errors.AsType[*upstream.Failure](err)
			if !ok || failure.Reason != c.reason || failure.Final != c.final {
				t.Fatalf("the failure is %+v", err)
			}
			if len(bought.Purchases) != 1 || bought.USD() != c.cost || bought.Purchases[0].Estimated != c.priced {
				t.Errorf("the purchases are %+v", bought.Purchases)
			}
		})
	}
	slow := map[string]string{"mode": "slow"}
	if _, err := providertest.AskVendor(t, dataforseo.Vendor{}, http.NotFoundHandler(), question("searchaimode"), slow); err == nil || !strings.Contains(err.Error(), `"slow"`) {
		t.Errorf("an unknown mode: %v", err)
	}
}
