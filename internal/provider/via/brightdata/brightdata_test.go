package brightdata_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/brightdata"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

const longPrompt = "Which running shoes are best for beginners?"

func question(name string) *provider.Question {
	return &provider.Question{Provider: name, Text: longPrompt, Locale: geo.Locale{Country: "US"}, Pages: 1}
}

// standIn plays Bright Data. The snapshot is ready at the third poll.
type standIn struct {
	document  []byte
	triggered []string // bodies, with their queries
	requested []string // addresses of result pages
	polls     int
	progress  string // of a collection that fails
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+providertest.VendorKey {
		http.Error(w, "Invalid credentials", http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	switch path := r.Method + " " + r.URL.Path; {
	case path == "POST /datasets/v3/trigger":
		s.triggered = append(s.triggered, r.URL.RawQuery+" "+string(body))
		_, _ = w.Write([]byte(`{"snapshot_id":"s_1"}`))
	case path == "GET /datasets/v3/progress/s_1":
		s.polls++
		if s.progress != "" {
			_, _ = w.Write([]byte(s.progress))
			return
		}
		_, _ = w.Write([]byte(map[bool]string{true: `{"status":"running"}`, false: `{"status":"ready"}`}[s.polls < 2]))
	case path == "GET /datasets/v3/snapshot/s_1" && s.polls < 3:
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(`{"status":"building","message":"Snapshot is not ready yet, try again in 10s"}`))
	case path == "GET /datasets/v3/snapshot/s_1":
		_, _ = w.Write(s.document)
	case path == "POST /request":
		var request struct{ Zone, URL, Method, Format string }
		if err := json.Unmarshal(body, &request); err != nil || request.Zone != "serp1" || request.Format != "raw" {
			http.Error(w, "bad zone", http.StatusBadRequest)
			return
		}
		s.requested = append(s.requested, request.URL)
		_, _ = w.Write(s.document)
	default:
		http.NotFound(w, r)
	}
}

// ask asks a stand-in that delivers the document.
func ask(t *testing.T, document []byte, q *provider.Question) (*providertest.Bought, *standIn, error) {
	t.Helper()
	api := &standIn{document: document}
	bought, err := providertest.AskVendor(t, brightdata.Vendor{}, api, q, map[string]string{"zone": "serp1"})
	return bought, api, err
}

// providerOf returns the provider that a document is from.
func providerOf(document []byte) string {
	switch text := string(document); {
	case strings.Contains(text, `"search_type": "news"`):
		return "websearch/news"
	case strings.Contains(text, `"general"`):
		return "websearch"
	case strings.Contains(text, "perplexity.ai"):
		return "answerengine"
	default:
		return "chatassistant"
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, func(document []byte) (any, error) {
		bought, _, err := ask(t, document, question(providerOf(document)))
		return bought, err
	})
}

func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	providertest.HostileVendor(t, func(text string) []byte {
		document, _ := json.Marshal([]any{map[string]any{"answer_text_markdown": text, "citations": []any{map[string]any{"url": text, "title": text}}, "web_search_query": text}})
		return document
	}, func(document []byte) (any, error) {
		bought, _, err := ask(t, document, question(providerOf(document)))
		return bought, err
	})
}

func TestAssistantIsTriggeredOnceAndPolled(t *testing.T) {
	t.Parallel()
	document := providertest.Stored(t, "testdata/chatgpt.json")
	q := question("chatassistant")
	q.NoSearch = true
	bought, api, err := ask(t, document, q)
	if err != nil {
		t.Fatal(err)
	}
	want := `dataset_id=gd_m7aof0k82r803d5bjm&format=json&include_errors=true [{"country":"US","index":1,"prompt":"` + longPrompt + `","url":"https://chatgpt.com/","web_search":false}]`
	if len(api.triggered) != 1 || api.triggered[0] != want || api.polls != 3 {
		t.Errorf("triggered %q, polled %d times", api.triggered, api.polls)
	}
	if !bought.Located || string(bought.Document) != string(document) || len(bought.Purchases) != 1 || bought.USD() != 1_500_000 {
		t.Errorf("located %t, %+v", bought.Located, bought.Purchases)
	}
	abroad := question("chatassistant")
	abroad.Locale.Country = "DE"
	if bought, _, err := ask(t, document, abroad); err != nil || bought.Located {
		t.Errorf("a record of another country is located: %v", err)
	}
}

func TestResultPages(t *testing.T) {
	t.Parallel()
	q := question("websearch")
	q.Text, q.Pages, q.First, q.Overview, q.UULE, q.Extra = "a & b", 2, 10, true, "w+CAIQ", map[string]string{"tbs": "qdr:d"}
	bought, api, err := ask(t, providertest.Stored(t, "testdata/serp.json"), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, start := range []string{"10", "20"} {
		address, err := url.Parse(api.requested[i])
		if err != nil {
			t.Fatal(err)
		}
		got := address.Query()
		for name, want := range map[string]string{"q": "a & b", "gl": "us", "hl": "en", "start": start, "uule": "w+CAIQ", "tbs": "qdr:d", "brd_json": "1"} {
			if got.Get(name) != want {
				t.Errorf("page %d: %s is %q, want %q", i+1, name, got.Get(name), want)
			}
		}
		if got.Has("brd_ai_overview") != (i == 0) {
			t.Errorf("page %d asks for the overview: %t", i+1, got.Has("brd_ai_overview"))
		}
	}
	if found := bought.Web.OrganicResults; found[len(found)-1].Page != 2 || found[len(found)-1].Position != len(found) {
		t.Errorf("the last result is %+v", found[len(found)-1])
	}
	if len(bought.Purchases) != 2 || bought.USD() != 3_000_000 {
		t.Errorf("two pages cost %+v", bought.Purchases)
	}
	if _, err := providertest.AskVendor(t, brightdata.Vendor{}, api, question("websearch"), nil); err == nil || !strings.Contains(err.Error(), "zone") {
		t.Errorf("without a zone: %v", err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]struct {
		reason earshot.Reason
		final  bool
		cost   upstream.USD
	}{
		`[{"error":"Crawler error: timed out","error_code":"crawl_failed","input":{"prompt":"x"}}]`: {earshot.ReasonUnavailable, false, 0},
		`[]`: {earshot.ReasonUnavailable, false, 0},
		`[{"answer_text_markdown":"` + longPrompt + `"}]`:   {earshot.ReasonEmpty, false, 1_500_000},
		`[{"answer_text":"2026-10-07T10:30:00.000Z"}]`:      {earshot.ReasonEmpty, false, 1_500_000},
		`[{"answer_text":""}]`:                              {earshot.ReasonEmpty, true, 1_500_000},
		`[{"answer_text":"<!doctype html><html>A</html>"}]`: {earshot.ReasonUnreadable, false, 1_500_000},
		`{"records":1}`: {earshot.ReasonUnreadable, false, 1_500_000},
		`<html>`:        {earshot.ReasonUnreadable, false, 0}, // the download failed
	} {
		bought, _, err := ask(t, []byte(document), question("chatassistant"))
		failure, _ := errors.AsType[*upstream.Failure](err)
		if failure == nil || failure.Reason != want.reason || failure.Final != want.final || bought.USD() != want.cost {
			t.Errorf("%s: %v, %+v; want %+v", document, err, bought.Purchases, want)
		}
	}
	for document, want := range map[string]earshot.Reason{
		``: earshot.ReasonUnreadable, `{}`: earshot.ReasonUnreadable, `{"general":{"mobile":true},"organic":[]}`: earshot.ReasonUnreadable,
		`{"general":{},"organic":[]}`: earshot.ReasonEmpty,
	} {
		bought, _, err := ask(t, []byte(document), question("websearch"))
		if err == nil || providertest.Reason(t, err) != string(want) || bought.USD() != 1_500_000 {
			t.Errorf("the result page %q: %v, %+v", document, err, bought.Purchases)
		}
	}
	api := &standIn{progress: `{"snapshot_id":"s_1","status":"failed"}`}
	if bought, err := providertest.AskVendor(t, brightdata.Vendor{}, api, question("chatassistant"), nil); err == nil || providertest.Reason(t, err) != "unavailable" || bought.USD() != 0 {
		t.Errorf("a failed collection: %v, %+v", err, bought.Purchases)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		body    string
		reason  earshot.Reason
		final   bool
		after   time.Duration
		message string
	}{
		{400, `{"error":"Validation failed","code":"validation_error","errors":[["country","not allowed"]]}`, earshot.ReasonUnavailable, true, 0, "Validation failed"},
		{400, "Customer is not active", earshot.ReasonUnavailable, true, 0, "Customer is not active"},
		{401, "Invalid credentials", earshot.ReasonBlocked, true, 0, "401"},
		{404, "dataset does not exist", earshot.ReasonUnavailable, true, 0, "404"},
		{429, "too many running jobs", earshot.ReasonBlocked, false, time.Minute, "too many"},
		{500, "", earshot.ReasonUnavailable, false, 0, "500"},
	} {
		var requests atomic.Int32
		api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		})
		bought, err := providertest.AskVendor(t, brightdata.Vendor{}, api, question("chatassistant"), nil)
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != test.reason || failure.Final != test.final || failure.RetryAfter != test.after || failure.Everyone != (test.status == 429) ||
			!strings.Contains(err.Error(), test.message) {
			t.Errorf("%d %s: %+v", test.status, test.body, failure)
		}
		if requests.Load() != 1 || bought.USD() != 0 {
			t.Errorf("%d: %d requests, %+v", test.status, requests.Load(), bought.Purchases)
		}
	}
}

// TestCaptures reads the samples and compares the result with what the sample holds.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/brightdata/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			switch filepath.Base(path) {
			case "constructed-failed-record.json":
				if bought, _, err := ask(t, document, question("answerengine")); err == nil || bought.USD() != 0 {
					t.Errorf("got %v", err)
				}
			case "constructed-chatgpt-record.json":
				checkRecord(t, document)
			default:
				checkPage(t, document)
			}
		})
	}
}

func checkRecord(t *testing.T, document []byte) {
	t.Helper()
	var records []struct {
		Markdown  string                        `json:"answer_text_markdown"`
		Model     string                        `json:"model"`
		Queries   []string                      `json:"web_search_query"`
		Citations []struct{ URL, Title string } `json:"citations"`
	}
	if err := json.Unmarshal(document, &records); err != nil {
		t.Fatal(err)
	}
	bought, _, err := ask(t, document, question("chatassistant"))
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, bought)
	got, want := bought.Answer, records[0]
	if providertest.Letters(got.Text) != providertest.Letters(want.Markdown) || *got.Model != want.Model || !bought.Located {
		t.Errorf("text %q, model %v, located %t", got.Text, got.Model, bought.Located)
	}
	if len(got.Sources) != len(want.Citations) || got.Sources[0].URL != want.Citations[0].URL || got.Sources[0].Label != want.Citations[0].Title {
		t.Errorf("sources %v", got.Sources)
	}
	if len(got.SearchQueries) != len(want.Queries) || len(got.CitationPills) != 0 {
		t.Errorf("queries %v, pills %v", got.SearchQueries, got.CitationPills)
	}
}

func checkPage(t *testing.T, document []byte) {
	t.Helper()
	type item struct {
		Link       string
		Title      string
		Question   string
		AnswerLink string `json:"answer_link"`
		Text       string
		Items      []item
		Extensions []item
	}
	var want struct {
		Organic, Videos, Images, Perspectives, Related []item
		Questions                                      []item `json:"people_also_ask"`
	}
	if err := json.Unmarshal(document, &want); err != nil {
		t.Fatal(err)
	}
	bought, _, err := ask(t, document, question("websearch"))
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, bought)
	got := bought.Web
	if !bought.Located {
		t.Error("the page says where it is from, and the result does not")
	}
	related := 0
	for _, o := range want.Related {
		related += max(1, len(o.Items))
	}
	for name, count := range map[string][2]int{
		"organic": {len(got.OrganicResults), len(want.Organic)}, "questions": {len(got.PeopleAlsoAsk), len(want.Questions)},
		"related": {len(got.RelatedSearches), related}, "videos": {len(got.Videos), len(want.Videos)}, "images": {len(got.Images), len(want.Images)},
		"posts": {len(got.Posts), len(want.Perspectives)}, "ads": {len(got.Ads), 0},
	} {
		if count[0] != count[1] {
			t.Errorf("%s: %d of %d", name, count[0], count[1])
		}
	}
	for i, o := range want.Organic {
		if found := got.OrganicResults[i]; found.Link != o.Link || found.Title != o.Title || len(found.Sitelinks) != len(o.Extensions) {
			t.Errorf("organic result %d is %+v", i+1, found)
		}
	}
	for i, o := range want.Questions {
		if found := got.PeopleAlsoAsk[i]; found.Question != o.Question || found.Link != o.AnswerLink {
			t.Errorf("question %d is %+v", i+1, found)
		}
	}
	for i, o := range want.Videos {
		if got.Videos[i].URL != o.Link {
			t.Errorf("video %d is %+v", i+1, got.Videos[i])
		}
	}
	ranked := 0
	for _, block := range got.Layout {
		ranked += block.Count
	}
	if shown := len(want.Organic) + len(want.Questions) + related + len(want.Videos) + len(want.Images); ranked != shown { // posts have no rank
		t.Errorf("the layout has %d items, the page has %d with a rank", ranked, shown)
	}
}
