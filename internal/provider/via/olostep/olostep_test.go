package olostep_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/olostep"
	"earshot/test/captures"
)

const prompt = "Which running shoes are best for beginners?"

func question(name string) *provider.Question {
	return &provider.Question{Provider: name, Text: prompt, Locale: geo.Locale{Country: "US"}, Pages: 1}
}

// standIn plays Olostep. The batch is completed at the third poll.
type standIn struct {
	document []byte
	failed   bool   // the item failed
	status   string // of the batch in the end; "" means completed
	batches  []batch
	polls    int
}

type batch struct {
	Items []struct {
		CustomID string `json:"custom_id"`
		URL      string
	}
	Parser  struct{ ID string }
	Country string
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+providertest.VendorKey {
		http.Error(w, `{"code":"invalid_api_key","title":"Invalid API key"}`, http.StatusUnauthorized)
		return
	}
	var answer any
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/batches":
		body, _ := io.ReadAll(r.Body)
		var b batch
		if err := json.Unmarshal(body, &b); err != nil {
			http.Error(w, `{"code":"validation_error"}`, http.StatusBadRequest)
			return
		}
		s.batches = append(s.batches, b)
		answer = map[string]any{"id": "batch_1", "object": "batch", "status": "in_progress"}
	case "GET /v1/batches/batch_1":
		s.polls++
		answer = map[string]any{"id": "batch_1", "status": map[bool]string{true: cmp.Or(s.status, "completed"), false: "in_progress"}[s.polls >= 3]}
	case "GET /v1/batches/batch_1/items":
		items := []any{}
		if !s.failed && r.URL.Query().Get("status") == "completed" {
			items = []any{map[string]any{"custom_id": s.batches[0].Items[0].CustomID, "retrieve_id": "r1"}}
		}
		answer = map[string]any{"id": "batch_1", "status": "completed", "items": items}
	case "GET /v1/retrieve":
		if query := r.URL.Query(); query.Get("retrieve_id") != "r1" || query.Get("formats") != "json" {
			http.Error(w, `{"code":"validation_error"}`, http.StatusBadRequest)
			return
		}
		answer = map[string]any{"html_content": nil, "json_content": string(s.document)}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func ask(t *testing.T, api *standIn, q *provider.Question) (*providertest.Bought, error) {
	t.Helper()
	return providertest.AskVendor(t, olostep.Vendor{}, api, q, nil)
}

// providerOf returns the provider whose page a document is, by the page's address.
func providerOf(document []byte) string {
	var page struct{ URL string }
	_ = json.Unmarshal(document, &page)
	for address, name := range map[string]string{
		"chatgpt.com": "chatassistant", "gemini.google.com": "genassistant", "grok.com": "socialassistant", "copilot.microsoft.com": "officeassistant",
		"perplexity.ai": "answerengine", "google.com/": "searchaimode",
	} {
		if strings.Contains(page.URL, address) && (name != "searchaimode" || !strings.Contains(page.URL, "gemini")) {
			return name
		}
	}
	return "websearch"
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, func(document []byte) (any, error) {
		return ask(t, &standIn{document: document}, question(providerOf(document)))
	})
}

func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	providertest.HostileVendor(t, func(text string) []byte {
		document, _ := json.Marshal(map[string]any{"url": "https://grok.com/", "answer_markdown": text, "sources": []any{map[string]any{"url": text, "title": text}}})
		return document
	}, func(document []byte) (any, error) {
		return ask(t, &standIn{document: document}, question(providerOf(document)))
	})
}

func TestBatch(t *testing.T) {
	t.Parallel()
	document := providertest.Stored(t, "testdata/chatgpt.json")
	q := question("chatassistant")
	q.Text = "What is 1 + 1 & more? " + prompt
	api := &standIn{document: document}
	bought, err := ask(t, api, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(api.batches) != 1 || len(api.batches[0].Items) != 1 || api.polls != 3 {
		t.Fatalf("batches %+v, %d polls", api.batches, api.polls)
	}
	got := api.batches[0]
	item, err := url.Parse(got.Items[0].URL)
	if err != nil || item.Host != "chatgpt.com" || item.Query().Get("q") != q.Text || strings.Contains(item.RawQuery, "+") {
		t.Errorf("the item's address is %s", got.Items[0].URL)
	}
	if got.Parser.ID != "@olostep/chatgpt-results" || got.Country != "US" || got.Items[0].CustomID == "" {
		t.Errorf("the batch is %+v", got)
	}
	if !bought.Located || string(bought.Document) != strings.TrimSpace(string(document)) || bought.USD() != 12_500_000 {
		t.Errorf("located %t, %+v", bought.Located, bought.Purchases)
	}
	search := question("websearch")
	search.First, search.Locale.Country, search.Locale.Language = 10, "DE", "de"
	api = &standIn{document: providertest.Stored(t, "testdata/search.json")}
	if _, err := ask(t, api, search); err != nil {
		t.Fatal(err)
	}
	if got := api.batches[0].Items[0].URL; !strings.HasPrefix(got, "https://www.google.com/search?gl=de&hl=de&q=Which%20running") || !strings.HasSuffix(got, "&start=10") {
		t.Errorf("the result page is %s", got)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for document, reason := range map[string]earshot.Reason{
		``:                                     earshot.ReasonUnreadable,
		`<html>`:                               earshot.ReasonUnreadable,
		`{"error":"no"}`:                       earshot.ReasonUnreadable,
		`{"answer_markdown":""}`:               earshot.ReasonEmpty,
		`{"answer_markdown":"` + prompt + `"}`: earshot.ReasonEmpty,
	} {
		bought, err := ask(t, &standIn{document: []byte(document)}, question("chatassistant"))
		if err == nil || providertest.Reason(t, err) != string(reason) || bought.USD() != 12_500_000 {
			t.Errorf("%s: %v, %+v", document, err, bought.Purchases)
		}
	}
	for _, api := range []*standIn{{failed: true}, {status: "failed"}} {
		bought, err := ask(t, api, question("genassistant"))
		if err == nil || providertest.Reason(t, err) != "unavailable" || bought.USD() != 7_500_000 {
			t.Errorf("%+v: %v, %+v", api, err, bought.Purchases)
		}
	}
	for body, test := range map[string]struct {
		status int
		reason earshot.Reason
	}{
		`{"code":"validation_error","detail":"bad country"}`:      {400, earshot.ReasonUnavailable},
		`{"code":"invalid_api_key","detail":"wrong key"}`:         {401, earshot.ReasonBlocked},
		`{"code":"credits_exhausted","detail":"no credits left"}`: {402, earshot.ReasonBlocked},
		`{"code":"forbidden"}`:                                    {403, earshot.ReasonBlocked},
		`{"code":"unprocessable"}`:                                {422, earshot.ReasonUnavailable},
		`{"code":"internal"}`:                                     {500, earshot.ReasonUnavailable},
	} {
		api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, test.status) })
		bought, err := providertest.AskVendor(t, olostep.Vendor{}, api, question("chatassistant"), nil)
		if err == nil || providertest.Reason(t, err) != string(test.reason) || bought.USD() != 0 {
			t.Errorf("status %d: %v, %+v", test.status, err, bought.Purchases)
		}
	}
}

// TestCaptures reads the samples and compares the result with what the sample holds.
func TestCaptures(t *testing.T) {
	t.Parallel()
	type link struct{ URL, Title, Label, Text string }
	type query struct{ Query string }
	for _, path := range captures.Find(t, "vendors/olostep/*.json") {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Markdown string `json:"answer_markdown"`
				Sources  []link
				Posts    []struct {
					URL  string `json:"post_url"`
					User string `json:"username"`
				} `json:"xposts"`
				References []link   `json:"inline_references"`
				Related    []string `json:"related_queries"`
				Searches   []query  `json:"search_model_queries"`
				Calls      struct {
					Searches []query `json:"search_queries"`
					Model    string  `json:"model_slug"`
				} `json:"network_search_calls"`
				Model string
			}
			if err := json.Unmarshal(document, &want); err != nil {
				t.Fatal(err)
			}
			bought, err := ask(t, &standIn{document: document}, question(providerOf(document)))
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, bought)
			got := bought.Answer
			providertest.CheckNoMarkup(t, got.Text)
			markdown, searches := want.Markdown, slices.Concat(want.Searches, want.Calls.Searches)
			pills := len(want.References)
			switch name {
			case "grok.json": // the log has three searches
				_, rest, _ := strings.Cut(markdown, "### Top News")
				markdown = "### Top News" + rest
				searches = []query{{"latest news in Austin TX today"}, {"Austin since:2025-10-10 until:2025-10-11 filter:news"}, {"Austin Texas news October 10 2025"}}
			case "microsoft_copilot.json": // a position is the offset of a chip
				pills = len(want.Sources)
			}
			if providertest.Letters(got.Markdown) != providertest.Letters(markdown) || strings.Count(got.Markdown, "\n") < strings.Count(strings.TrimSpace(markdown), "\n\n") {
				t.Errorf("the Markdown is\n%s", got.Markdown)
			}
			if model := want.Calls.Model + want.Model; (got.Model == nil) != (model == "") || got.Model != nil && *got.Model != model {
				t.Errorf("the model is %v, want %q", got.Model, model)
			}
			var pages, found []string
			for _, o := range want.Sources {
				pages = append(pages, o.URL)
			}
			for _, o := range want.Posts {
				pages = append(pages, o.URL)
			}
			for _, source := range got.Sources {
				found = append(found, source.URL)
			}
			if diff := gocmp.Diff(pages, found); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
			for i, o := range want.Posts {
				if post := got.Sources[len(want.Sources)+i].Post; post == nil || post.Author != o.User || post.Text == "" {
					t.Errorf("post %d is %+v", i+1, post)
				}
			}
			var queries []string
			for _, o := range searches {
				queries = append(queries, o.Query)
			}
			if len(got.CitationPills) != pills || !slices.Equal(got.SearchQueries, queries) || !slices.Equal(got.RelatedQueries, want.Related) {
				t.Errorf("%d pills of %d, searches %q, related %q", len(got.CitationPills), pills, got.SearchQueries, got.RelatedQueries)
			}
			for i, o := range want.References {
				if pill := got.CitationPills[i]; pill.URL != o.URL || pill.Label != o.Text {
					t.Errorf("pill %d is %+v", i+1, pill)
				}
			}
		})
	}
}
