package redirect_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot/internal/lab/redirect"
)

func TestLinksLeadToTheirDestination(t *testing.T) {
	t.Parallel()
	const destination = "https://shop.example/a?b=c&d=e#f"
	for _, link := range []string{redirect.Wrap(destination), redirect.Hide(destination)} {
		w := httptest.NewRecorder()
		redirect.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, link, http.NoBody))
		if w.Code != http.StatusFound || w.Header().Get("Location") != destination {
			t.Errorf("%s answers %d to %q", link, w.Code, w.Header().Get("Location"))
		}
	}
	if strings.Contains(redirect.Hide(destination), "shop") {
		t.Error("a hidden link shows where it leads")
	}
	for _, link := range []string{"/goto", "/goto?url=x", "/goto?url=CAES", "/goto?url=CAES!", "/url", "/url?q="} {
		w := httptest.NewRecorder()
		redirect.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, link, http.NoBody))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", link, w.Code)
		}
	}
}
