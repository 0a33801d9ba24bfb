package cloro_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/cloro"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

// standIn returns a handler that plays cloro: it accepts a task and answers the second
// poll with the document.
func standIn(document []byte) http.Handler {
	polls := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+providertest.VendorKey:
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodPost && r.URL.Path == "/v1/async/task":
			fmt.Fprint(w, `{"task":{"id":"t-1","status":"QUEUED"}}`)
		case r.URL.Path == "/v1/async/task/t-1" && polls == 0:
			polls++
			fmt.Fprint(w, `{"task":{"id":"t-1","status":"PROCESSING"}}`)
		case r.URL.Path == "/v1/async/task/t-1":
			_, _ = w.Write(document)
		default:
			http.NotFound(w, r)
		}
	})
}

func question(name string) *provider.Question {
	chat := name == "chatassistant"
	return &provider.Question{
		Provider: name, Text: "Which running shoes are best?", Locale: geo.Locale{Country: "US"}, Pages: 1,
		Shopping: chat, Ads: chat, SearchQueries: chat, Overview: name == "websearch",
	}
}

func ask(t *testing.T, name string, document []byte) *providertest.Bought {
	t.Helper()
	bought, err := providertest.AskVendor(t, cloro.Vendor{}, standIn(document), question(name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return bought
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("testdata/chatgpt.json")
	if err != nil {
		t.Fatal(err)
	}
	bought := ask(t, "chatassistant", document)
	a := bought.Answer
	if a.Text != "Ollaro and Kestrin are often recommended.\nBoth are light." || a.Markdown != "**Ollaro** and Kestrin are often recommended.\n\n- Both are light." {
		t.Errorf("text %q, Markdown %q", a.Text, a.Markdown)
	}
	if a.Model != nil {
		t.Errorf("the model is %q", *a.Model)
	}
	if len(a.Sources) != 2 || a.Sources[0].URL != "https://ollaro.example/a" || a.Sources[0].DatePublished != "2026-09-01" || a.Sources[1].URL != "https://test.example/" {
		t.Errorf("the sources are %+v", a.Sources)
	}
	if len(a.CitationPills) != 2 || a.CitationPills[0].CitationPillID == a.CitationPills[1].CitationPillID {
		t.Errorf("the pills are %+v", a.CitationPills)
	}
	if len(a.SearchQueries) != 1 || len(a.Entities) != 1 {
		t.Errorf("searches %v, entities %v", a.SearchQueries, a.Entities)
	}
	if len(a.Places) != 1 || a.Places[0].Address != "1 Main St, Austin" || a.Places[0].Category != "Shoes" || *a.Places[0].Reviews != 120 {
		t.Errorf("the places are %+v", a.Places)
	}
	if len(a.ShoppingCards) != 1 || len(a.ShoppingCards[0].Products) != 1 || a.ShoppingCards[0].Products[0].Price.Raw != "$99.00" || len(a.ShoppingCards[0].Products[0].Offers) != 1 {
		t.Errorf("the cards are %+v", a.ShoppingCards)
	}
	if len(a.Ads) != 1 || a.Ads[0].Brand != "Kestrin" || a.Ads[0].Block != "answer" {
		t.Errorf("the ads are %+v", a.Ads)
	}
	if len(bought.Purchases) != 1 || bought.USD() != 2_800_000 || !bought.Reported() {
		t.Errorf("the purchases are %+v", bought.Purchases)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]struct {
		reason    earshot.Reason
		final     bool
		cost      upstream.USD
		estimated bool
	}{
		`{"task":{"id":"t-1","status":"FAILED"},"response":{"error":{"code":"INTERNAL","message":"no"}}}`:            {earshot.ReasonUnavailable, false, 0, false},
		`{"task":{"id":"t-1","status":"FAILED"},"credits":{"creditsCharged":5},"response":{"error":{"code":"X"}}}`:   {earshot.ReasonUnavailable, false, 2_000_000, false},
		`{"task":{"id":"t-1","status":"COMPLETED"},"credits":{"creditsCharged":7}}`:                                  {earshot.ReasonUnreadable, false, 2_800_000, false},
		`{"task":{"id":"t-1","status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{"text":""}}`:           {earshot.ReasonEmpty, true, 2_000_000, false},
		`{"task":{"id":"t-1","status":"COMPLETED"},"response":{"text":""}}`:                                          {earshot.ReasonEmpty, true, 2_800_000, true},
		`{"task":{"id":"t-1","status":"STARTED"}}`:                                                                   {earshot.ReasonUnreadable, false, 2_800_000, true},
		`{"task":{"id":"t-2","status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{"text":"An answer."}}`: {earshot.ReasonUnreadable, false, 0, false},
		`<html>`: {earshot.ReasonUnreadable, false, 0, false},
		`{"task":{"id":"t-1","status":"COMPLETED"},"resp`: {earshot.ReasonUnreadable, false, 0, false},
	} {
		q := question("chatassistant")
		bought, err := providertest.AskVendor(t, cloro.Vendor{}, standIn([]byte(task)), q, nil)
		failure, _ := errors.AsType[*upstream.Failure](err)
		if failure == nil || failure.Reason != want.reason || failure.Final != want.final || bought.USD() != want.cost || bought.Purchases[0].Estimated != want.estimated {
			t.Errorf("%s: %v, %+v", task, err, bought.Purchases)
		}
	}
}

// TestUnit checks that the operator's price of a credit holds for quotes and charges.
func TestUnit(t *testing.T) {
	t.Parallel()
	task := `{"task":{"id":"t-1","status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{"text":"Nike"}}`
	bought, err := providertest.AskVendor(t, cloro.Vendor{}, standIn([]byte(task)), question("chatassistant"), map[string]string{"unit": "0.00031"})
	if err != nil || bought.USD() != 1_550_000 || bought.Answer.Text != "Nike" {
		t.Errorf("%v, %+v", err, bought.Purchases)
	}
}

// taskID matches the id of the task in a sample.
var taskID = regexp.MustCompile(`"[0-9a-f]{8}-[0-9a-f-]{27}"`)

// TestCaptures reads the samples, where they are available.
func TestCaptures(t *testing.T) {
	t.Parallel()
	samples := map[string][]byte{}
	for _, path := range captures.Find(t, "vendors/cloro/*.json") {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		samples[filepath.Base(path)] = taskID.ReplaceAll(document, []byte(`"t-1"`))
	}
	a := ask(t, "chatassistant", samples["constructed-chatgpt-task.json"]).Answer
	if len(a.Sources) != 1 || len(a.CitationPills) != 1 || len(a.Places) != 1 || len(a.ShoppingCards) != 1 || len(a.Ads) != 1 || len(a.SearchQueries) != 1 {
		t.Errorf("the answer is %+v", a)
	}
	// The sample is the answer to a synchronous call, which has the same result.
	search := samples["constructed-google-sync.json"]
	result := bytes.TrimSpace(search[bytes.Index(search, []byte(`"result":`))+len(`"result":`) : bytes.LastIndexByte(search, '}')])
	web := ask(t, "websearch", fmt.Appendf(nil, `{"task":{"id":"t-1","status":"COMPLETED"},"response":%s}`, result)).Web
	for what, n := range map[string]int{
		"organic results": len(web.OrganicResults), "sitelinks": len(web.OrganicResults[0].Sitelinks), "questions": len(web.PeopleAlsoAsk), "related searches": len(web.RelatedSearches),
		"ads": len(web.Ads), "places": len(web.Places), "discussions": len(web.Discussions), "cards": len(web.ShoppingCards),
	} {
		if n != 1 {
			t.Errorf("%d %s, want 1", n, what)
		}
	}
	if web.PeopleAlsoAsk[0].Type != earshot.QuestionOverview || web.Ads[0].Block != "side" || web.KnowledgeGraph == nil || web.SearchOverview == nil {
		t.Errorf("the page is %+v", web)
	}
}
