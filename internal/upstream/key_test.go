package upstream_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/upstream"
)

func TestAKeyIsSentToItsAPIAlone(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.URL.Path+"="+r.Header.Get("X-Key"))
		if r.URL.Path == "/elsewhere" {
			http.Redirect(w, r, "https://example.com/", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	c, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceAPI, Sites: map[string]string{"x": server.URL, "x-redirects": server.URL},
		API: &upstream.API{Name: "x", KeyHeader: "X-Key", KeyPrefix: "Bearer ", Key: "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	up := c.NewSession(1, "")
	if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "x", Path: "/ask"}); err != nil {
		t.Error(err)
	}
	if _, err := up.Redirect(t.Context(), &upstream.Request{Site: "x-redirects", Path: "/elsewhere"}); err != nil {
		t.Error(err)
	}
	if got, want := strings.Join(keys, " "), "/ask=Bearer secret /elsewhere="; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
