package brave_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session starts an attempt against a fake of the API.
func session(t *testing.T, answers http.HandlerFunc) *upstream.Session {
	t.Helper()
	server := httptest.NewServer(answers)
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceAPI, Sites: map[string]string{brave.Site: server.URL + "/res/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client.NewSession(1, "https://earshot.test/captures/1")
}

// listed writes count results, numbered from first.
func listed(first, count int) string {
	var list []string
	for i := first; i < first+count; i++ {
		list = append(list, fmt.Sprintf(`{"title":"Result %d","url":"https://r.test/%d","age":"1 day ago"}`, i, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// web serves results on pages that overlap by one result.
func web(t *testing.T, results int) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
		if err != nil || r.URL.Path != "/res/v1/web/search" || offset > 9 || r.Method != http.MethodGet {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		first := offset * 9
		fmt.Fprintf(w, `{"type":"search","query":{"more_results_available":%t},"web":{"results":%s},"faq":{"results":[{"question":"Why?"}]}}`,
			first+10 < results, listed(first, max(0, min(10, results-first))))
	}
}

var query = brave.Query{Text: "harbour", Locale: geo.Locale{Country: "US"}}

func TestPagesAreMerged(t *testing.T) {
	t.Parallel()
	up := session(t, web(t, 23))
	result, err := brave.AskWeb(t.Context(), up, query, 5, true)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, result)
	if len(result.OrganicResults) != 23 || len(result.PeopleAlsoAsk) != 1 || result.Surface != earshot.SurfaceAPI {
		t.Fatalf("the result is %+v", result)
	}
	for i, r := range result.OrganicResults {
		if want := fmt.Sprintf("https://r.test/%d", i); r.Link != want || r.Page != max(0, i-1)/9+1 {
			t.Errorf("result %d is %+v", i, r)
		}
	}
	if len(result.HTML) != 3 || result.HTML[2] != "https://earshot.test/captures/1/page-3.html" {
		t.Errorf("the kept pages are %v", result.HTML)
	}
	if document := rawdoc.CapturedDocument(up.Kept()[1]); !brave.Recognises(document) {
		t.Errorf("the kept document is %s", document)
	}
}

func TestPagesBeyondTheAPILimit(t *testing.T) {
	t.Parallel()
	late := query
	late.First = 85
	result, err := brave.AskWeb(t.Context(), session(t, web(t, 1000)), late, 10, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.OrganicResults) != 19 || result.OrganicResults[0].Link != "https://r.test/72" || result.HTML != nil {
		t.Errorf("the result is %+v", result)
	}
	late.First = 100
	_, err = brave.AskWeb(t.Context(), session(t, web(t, 1000)), late, 1, false)
	var failure *upstream.Failure
	if !errors.As(err, &failure) || !failure.Final || failure.Reason != earshot.ReasonUnavailable {
		t.Errorf("beyond the last page: %v", err)
	}
}

func TestUnsupportedCountryIsRefused(t *testing.T) {
	t.Parallel()
	abroad := brave.Query{Text: "harbour", Locale: geo.Locale{Country: "RO"}}
	up := session(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) })
	_, web := brave.AskWeb(t.Context(), up, abroad, 1, false)
	_, news := brave.AskNews(t.Context(), up, abroad, 1, false)
	for _, err := range []error{web, news} {
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || !failure.Final || failure.Reason != earshot.ReasonUnavailable || !strings.Contains(err.Error(), "RO") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestNewsOfAWebSearch(t *testing.T) {
	t.Parallel()
	up := session(t, func(w http.ResponseWriter, r *http.Request) {
		more := r.URL.Query().Get("offset") == "0"
		fmt.Fprintf(w, `{"type":"search","query":{"more_results_available":%t},"web":{"results":%s},"news":{"type":"news","results":[
			{"title":"Pier <strong>opens</strong>","url":"https://n.test/1","age":"2 hours ago","thumbnail":{"src":"https://i.test/1"},"profile":{"name":"The Quay"}},
			{"title":"No link"},{"title":"Rain","url":"https://n.test/%t"}]}}`, more, listed(0, 1), more)
	})
	result, err := brave.AskWeb(t.Context(), up, query, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, result)
	want := []earshot.TopStory{
		{Position: 1, Title: "Pier opens", Link: "https://n.test/1", Source: "The Quay", Date: "2 hours ago", Thumbnail: "https://i.test/1"},
		{Position: 2, Title: "Rain", Link: "https://n.test/true", Source: "n.test"},
		{Position: 3, Title: "Rain", Link: "https://n.test/false", Source: "n.test"},
	}
	if diff := cmp.Diff(want, result.TopStories); diff != "" {
		t.Errorf("the stories differ (-want +got):\n%s", diff)
	}
}

func TestSearchWithoutResults(t *testing.T) {
	t.Parallel()
	up := session(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"search","query":{"more_results_available":false},"web":{"results":[]}}`)
	})
	_, err := brave.AskWeb(t.Context(), up, query, 3, true)
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || failure.Reason != earshot.ReasonEmpty || !failure.Final {
		t.Errorf("the error is %v", err)
	}
}

// TestPagesAreBoughtOneByOne checks what each page buys, and how it ends.
func TestPagesAreBoughtOneByOne(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(web(t, 12))
	defer server.Close()
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceAPI, Sites: map[string]string{brave.Site: server.URL + "/res/v1"}, API: &upstream.API{Name: brave.Site},
		Prices: map[string]upstream.Price{"websearch": {Request: 5_000_000, Page: 3_000_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ledger := &providertest.Ledger{}
	up := client.Open(upstream.Visit{Provider: "websearch", Job: t.Context(), Attempt: 1, Buyer: ledger})
	if result, err := brave.AskWeb(t.Context(), up, query, 3, false); err != nil || len(result.OrganicResults) != 12 || len(ledger.Purchases) != 2 || ledger.USD() != 8_000_000 {
		t.Errorf("%v, %+v", err, ledger.Purchases)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	up := session(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/res/v1/news/search" || r.Header.Get("X-Loc-Country") != "" {
			t.Errorf("asked for %s with %v", r.URL, r.Header)
		}
		list := map[string]string{"0": listed(0, 10), "1": listed(8, 7)}[r.URL.Query().Get("offset")]
		fmt.Fprintf(w, `{"type":"news","query":{"original":"harbour"},"results":%s}`, max(list, "[]"))
	})
	result, err := brave.AskNews(t.Context(), up, query, 9, true)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, result)
	if len(result.NewsResults) != 15 || len(result.HTML) != 3 || result.Surface != earshot.SurfaceAPI {
		t.Fatalf("the result is %+v", result)
	}
	for i, a := range result.NewsResults {
		if a.Link != fmt.Sprintf("https://r.test/%d", i) || a.Page != i/10+1 || a.Source != "r.test" || a.Date != "1 day ago" {
			t.Errorf("article %d is %+v", i, a)
		}
	}
}

func TestRefusalStopsPaging(t *testing.T) {
	t.Parallel()
	calls := 0
	up := session(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			web(t, 1000)(w, r)
			return
		}
		w.Header().Set("X-RateLimit-Reset", "2, 1000")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"type":"ErrorResponse","error":{"code":"RATE_LIMITED","status":429}}`)
	})
	_, err := brave.AskWeb(t.Context(), up, query, 3, true)
	var failure *upstream.Failure
	if !errors.As(err, &failure) || failure.Reason != earshot.ReasonBlocked || failure.RetryAfter != 2*time.Second || calls != 2 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

func TestUnreadablePageStopsPaging(t *testing.T) {
	t.Parallel()
	up := session(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"type":"sea`) })
	if _, err := brave.AskNews(t.Context(), up, query, 3, true); err == nil || providertest.Reason(t, err) != "unreadable" {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := brave.AskWeb(ctx, up, query, 3, true); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation the error is %v", err)
	}
}
