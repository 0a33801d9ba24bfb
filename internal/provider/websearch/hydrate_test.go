package websearch_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// TestQuestionsWithoutOverview asks a lab that does not serve the parts that pages load on demand.
func TestQuestionsWithoutOverview(t *testing.T) {
	t.Parallel()
	site := lab.Handler(labsite.Site())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/async/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceLab,
		Sites:   map[string]string{serp.Site: "http://search.lab.test"},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	request := providertest.Decode(t, engineOfLab, `{"query":"tents","country":"GB","include":{"paaSearchoverview":true}}`)
	outcome, err := request.Ask(t.Context(), client.NewSession(1, providertest.CaptureURL))
	if err != nil {
		t.Fatal(err)
	}
	result, ok := outcome.Result.(*earshot.WebSearch)
	if !ok || len(result.PeopleAlsoAsk) != 4 {
		t.Fatalf("result is %+v", outcome.Result)
	}
	for _, q := range result.PeopleAlsoAsk {
		if q.Markdown != "" || q.Sources != nil {
			t.Errorf("question is %+v", q)
		}
	}
}
