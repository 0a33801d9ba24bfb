package oxylabs_test

import (
	"encoding/json"
	"errors"
	"io"
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
	"earshot/internal/provider/via/oxylabs"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

const prompt = "Which running shoes are best for beginners?"

func question(name string) *provider.Question {
	return &provider.Question{Provider: name, Text: prompt, Locale: geo.Locale{Country: "US"}, Pages: 1}
}

// standIn plays Oxylabs. The job is done at the second poll, and its results are there
// at the third.
type standIn struct {
	document []byte
	state    string // of the job in the end; "" means done
	jobs     []map[string]any
	polls    int
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Basic "+providertest.VendorKey {
		http.Error(w, `{"message":"Unauthorized"}`, http.StatusUnauthorized)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/queries":
		body, _ := io.ReadAll(r.Body)
		var job map[string]any
		if err := json.Unmarshal(body, &job); err != nil {
			http.Error(w, `{"message":"Bad request"}`, http.StatusBadRequest)
			return
		}
		s.jobs = append(s.jobs, job)
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(`{"id":"7352996936896485377","status":"pending"}`))
	case "GET /v1/queries/7352996936896485377":
		s.polls++
		state := "pending"
		if s.polls >= 2 {
			if state = s.state; state == "" {
				state = "done"
			}
		}
		_, _ = w.Write([]byte(`{"id":"7352996936896485377","status":"` + state + `"}`))
	case "GET /v1/queries/7352996936896485377/results":
		if s.polls < 3 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write(s.document)
	default:
		http.NotFound(w, r)
	}
}

func ask(t *testing.T, api *standIn, q *provider.Question) (*providertest.Bought, error) {
	t.Helper()
	return providertest.AskVendor(t, oxylabs.Vendor{}, api, q, nil)
}

// providerOf returns the provider whose answer a document is, by the address in it.
func providerOf(document []byte) string {
	for address, name := range map[string]string{
		`"url": "https://chatgpt.com`: "chatassistant", `"url": "https://gemini.google.com`: "genassistant", "udm=50": "searchaimode",
		`"url": "https://www.perplexity.ai`: "answerengine", "tbm=nws": "websearch/news",
	} {
		if strings.Contains(string(document), address) {
			return name
		}
	}
	return "websearch"
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, func(document []byte) (any, error) {
		q := question(providerOf(document))
		q.Overview = q.Provider == "websearch"
		return ask(t, &standIn{document: document}, q)
	})
}

func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	providertest.HostileVendor(t, func(text string) []byte {
		content := map[string]any{"response_text": text, "markdown_text": text, "links": []any{map[string]any{"url": text, "text": text}}, "parse_status_code": 12000}
		document, _ := json.Marshal(map[string]any{"results": []any{map[string]any{"status_code": 200, "content": content}}, "url": "https://x.example/?udm=50"})
		return document
	}, func(document []byte) (any, error) {
		if len(document) == 0 { // an empty body means that the results are not ready
			document = []byte("{}")
		}
		q := question(providerOf(document))
		q.Overview = q.Provider == "websearch"
		return ask(t, &standIn{document: document}, q)
	})
}

func TestJobs(t *testing.T) {
	t.Parallel()
	search := question("websearch")
	search.Pages, search.First, search.Location, search.UULE, search.Device, search.Overview = 2, 20, "California,United States", "w+CAIQ", earshot.IOS, true
	search.Locale.Language, search.Extra = "es", map[string]string{"tbs": "qdr:d"}
	news := question("websearch/news")
	news.Extra = map[string]string{"tbm": "nws"}
	offline := question("chatassistant")
	offline.NoSearch = true
	for _, test := range []struct {
		q        *provider.Question
		document string
		want     map[string]any
	}{
		{question("chatassistant"), "chatgpt.json", map[string]any{"source": "chatgpt", "prompt": prompt, "search": true, "parse": true, "geo_location": "United States"}},
		{offline, "chatgpt.json", map[string]any{"source": "chatgpt", "prompt": prompt, "search": false, "parse": true, "geo_location": "United States"}},
		{question("answerengine"), "perplexity.json", map[string]any{"source": "perplexity", "prompt": prompt, "parse": true, "geo_location": "United States"}},
		{question("searchaimode"), "chatgpt.json", map[string]any{"source": "google_ai_mode", "query": prompt, "render": "html", "parse": true, "geo_location": "United States"}},
		{search, "search.json", map[string]any{
			"source": "google_search", "query": prompt, "parse": true, "geo_location": "California,United States", "locale": "es", "user_agent_type": "mobile_ios",
			"pages": 2.0, "start_page": 3.0, "render": "html", "context": []any{map[string]any{"key": "tbs", "value": "qdr:d"}},
		}},
		{news, "news.json", map[string]any{
			"source": "google_search", "query": prompt, "parse": true, "geo_location": "United States", "pages": 1.0, "start_page": 1.0,
			"context": []any{map[string]any{"key": "tbm", "value": "nws"}},
		}},
	} {
		api := &standIn{document: providertest.Stored(t, "testdata/"+test.document)}
		bought, err := ask(t, api, test.q)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff([]map[string]any{test.want}, api.jobs); diff != "" || api.polls != 3 {
			t.Errorf("%s: %d polls, jobs (-want +got):\n%s", test.q.Provider, api.polls, diff)
		}
		if !bought.Located || string(bought.Document) != string(api.document) || len(bought.Purchases) != 1 {
			t.Errorf("%s: located %t, %+v", test.q.Provider, bought.Located, bought.Purchases)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	const answer = `"content":{"response_text":"Ollaro makes the shoes that most tests recommend."`
	for _, test := range []struct {
		document string
		reason   earshot.Reason
		final    bool
		cost     upstream.USD
	}{
		{`{"results":[{"status_code":200,` + answer + `,"parse_status_code":12005}}]}`, earshot.ReasonUnreadable, false, 500_000},
		{`{"results":[{"status_code":200,` + answer + `}}]}`, earshot.ReasonUnreadable, false, 500_000},
		{`{"results":[{"status_code":200,"content":"<html></html>"}]}`, earshot.ReasonUnreadable, false, 500_000},
		{`{"results":[{` + answer + `}}]}`, earshot.ReasonUnreadable, false, 500_000},
		{`{"results":[{"status_code":404,` + answer + `,"parse_status_code":12000}}]}`, earshot.ReasonUnavailable, false, 500_000},
		{`{"results":[{"status_code":403,"content":""}]}`, earshot.ReasonBlocked, false, 500_000},
		{`{"results":[{"status_code":500,"content":""}]}`, earshot.ReasonUnavailable, false, 0},
		{`{"results":[{"status_code":613,"content":""}]}`, earshot.ReasonUnavailable, false, 0},
		{`{"results":[{"status_code":200,"content":{"response_text":"` + prompt + `","parse_status_code":12000}}]}`, earshot.ReasonEmpty, false, 500_000},
		{`{"results":[{"status_code":200,"content":{"response_text":"","parse_status_code":12000}}]}`, earshot.ReasonEmpty, true, 500_000},
		{`{"results":[]}`, earshot.ReasonUnavailable, false, 0},
		{`{"results":[{"job_id":"1","status_code":200}]}`, earshot.ReasonUnreadable, false, 0}, // of another job
		{`<html>`, earshot.ReasonUnreadable, false, 0},
	} {
		bought, err := ask(t, &standIn{document: []byte(test.document)}, question("chatassistant"))
		failure, _ := errors.AsType[*upstream.Failure](err)
		if failure == nil || failure.Reason != test.reason || failure.Final != test.final || bought.USD() != test.cost {
			t.Errorf("%s: %v, %+v", test.document, err, bought.Purchases)
		}
	}
	for state, reason := range map[string]earshot.Reason{"faulted": earshot.ReasonUnavailable, "lost": earshot.ReasonUnreadable} {
		bought, err := ask(t, &standIn{state: state}, question("chatassistant"))
		if err == nil || providertest.Reason(t, err) != string(reason) || (bought.USD() == 0) != (state == "faulted") {
			t.Errorf("a job that is %s: %v, %+v", state, err, bought.Purchases)
		}
	}
	two := question("websearch")
	two.Pages = 2
	bought, err := ask(t, &standIn{document: []byte(`{"results":[{"status_code":200,"content":{"parse_status_code":12000}},{"status_code":500}]}`)}, two)
	if err == nil || bought.USD() != 500_000 {
		t.Errorf("one page of two: %v, %+v", err, bought.Purchases)
	}
	for status, want := range map[int]earshot.Reason{400: "unavailable", 401: "blocked", 403: "blocked", 422: "unavailable", 429: "blocked", 524: "unavailable"} {
		api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"message":"no"}`, status) })
		bought, err := providertest.AskVendor(t, oxylabs.Vendor{}, api, question("chatassistant"), nil)
		if err == nil || providertest.Reason(t, err) != string(want) || bought.USD() != 0 {
			t.Errorf("status %d: %v, %+v", status, err, bought.Purchases)
		}
	}
}

// jobID matches the id of the job in a sample.
var jobID = regexp.MustCompile(`"job_id": "\d+"`)

// TestCaptures reads the samples and compares the result with what the sample holds.
func TestCaptures(t *testing.T) {
	t.Parallel()
	type link struct{ URL, Text, Title string }
	for _, path := range captures.Find(t, "vendors/oxylabs/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var sample struct {
				Results []struct {
					Content struct {
						Response   string   `json:"response_text"`
						Markdown   string   `json:"markdown_text"`
						Perplexity string   `json:"answer_results_md"`
						LLM        string   `json:"llm_model"`
						Model      string   `json:"model"`
						Links      []link   `json:"links"`
						Citations  []link   `json:"citations"`
						Top        []link   `json:"top_sources"`
						Related    []string `json:"related_queries"`
						More       struct {
							Sources []link `json:"sources_results"`
							Images  []struct {
								URL string `json:"image_url"`
							} `json:"images_results"`
						} `json:"additional_results"`
					}
				}
			}
			if err := json.Unmarshal(document, &sample); err != nil {
				t.Fatal(err)
			}
			document = jobID.ReplaceAll(document, []byte(`"job_id": "7352996936896485377"`))
			bought, err := ask(t, &standIn{document: document}, question(providerOf(document)))
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, bought)
			got, want := bought.Answer, sample.Results[0].Content
			if want.Response != "" && providertest.Letters(got.Text) != providertest.Letters(want.Response) {
				t.Errorf("the text differs:\n%s", got.Text)
			}
			for _, markdown := range []string{want.Markdown, want.Perplexity} {
				if markdown != "" && providertest.Letters(got.Markdown) != providertest.Letters(markdown) {
					t.Errorf("the Markdown differs:\n%s", got.Markdown)
				}
			}
			providertest.CheckNoMarkup(t, got.Text)
			if model := want.LLM + want.Model; (got.Model == nil) != (model == "") || got.Model != nil && *got.Model != model {
				t.Errorf("the model is %v", got.Model)
			}
			var pages []string
			for _, o := range slices.Concat(want.Links, want.Top, want.More.Sources, want.Citations) {
				if page, _, _ := strings.Cut(o.URL, "#:~:"); !slices.Contains(pages, page) {
					pages = append(pages, page)
				}
			}
			var found []string
			for _, source := range got.Sources {
				page, _, _ := strings.Cut(source.URL, "#:~:")
				found = append(found, page)
			}
			if diff := cmp.Diff(pages, found); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
			var cited []string
			for _, o := range want.Citations {
				page, _, _ := strings.Cut(o.URL, "#:~:")
				cited = append(cited, page)
			}
			var pills []string
			chips := map[string]bool{}
			for _, pill := range got.CitationPills {
				page, _, _ := strings.Cut(pill.URL, "#:~:")
				pills, chips[pill.CitationPillID] = append(pills, page), true
			}
			passages := map[string]bool{}
			for _, o := range want.Citations {
				passages[o.Text] = true
			}
			if diff := cmp.Diff(cited, pills); diff != "" || len(chips) != len(passages) {
				t.Errorf("%d chips of %d passages, pills (-want +got):\n%s", len(chips), len(passages), diff)
			}
			if !slices.Equal(got.RelatedQueries, want.Related) || len(got.Images) != len(want.More.Images) {
				t.Errorf("related %v, images %v", got.RelatedQueries, got.Images)
			}
		})
	}
}
