package lab

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"earshot/internal/upstream/lab/world"
)

// said returns the page of a site for a prompt. Unless sample is empty, the request asks
// for that sample, as the task of a tracker does.
func said(t *testing.T, transport http.RoundTripper, prompt, sample string) string {
	t.Helper()
	r := request(t.Context(), prompt, false)
	r.Header.Set("Lab-Sample", sample)
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != TypeHTML {
		t.Fatalf("%q: status %d: %v", prompt, resp.StatusCode, err)
	}
	return string(page)
}

func TestSamplingIsOptional(t *testing.T) {
	t.Parallel()
	always := &World{Brands: []world.BrandRate{{Name: "Everywhere", Rate: 1}}}
	plain, populated := Direct(testSite()), Direct(Populate(always, testSite())...)
	tea := said(t, plain, "tea", "")
	for _, prompt := range []string{"tea", "tea [[brands=Ollaro:1]] [[noise=1]] [[shift=2026-11-20:Ollaro:0]]"} {
		if said(t, populated, prompt, "") != tea {
			t.Errorf("%q is answered differently without a sample", prompt)
		}
	}
	for _, ask := range []struct{ prompt, sample string }{{"tea", "2026-11-20/1"}, {"tea [[sample=2026-11-20/1]]", ""}, {"tea [[sample=2026-11-20/1]]", "2026-01-01/5"}} {
		first := said(t, populated, ask.prompt, ask.sample)
		if first == tea || first != said(t, populated, "tea", "2026-11-20/1") || !strings.Contains(first, "Everywhere") {
			t.Errorf("%+v is not answered as the sample is", ask)
		}
	}
	if said(t, populated, "tea", "2026-11-20/1") == said(t, populated, "tea", "2026-11-20/2") {
		t.Error("two samples are the same")
	}
}

func TestWordsReplaceTheWorld(t *testing.T) {
	t.Parallel()
	always := &World{Brands: []world.BrandRate{{Name: "Everywhere", Rate: 1}}, Shifts: []world.Shift{{Day: "2026-11-21", Brand: "Everywhere", Rate: 0}}}
	site := Direct(Populate(always, testSite())...)
	for prompt, want := range map[string]string{
		"tea [[sample=2026-11-20/1]]":                                                  "Everywhere",
		"tea [[sample=2026-11-21/1]]":                                                  "",
		"tea [[sample=2026-11-21/1]] [[shift=2026-11-21:Everywhere:1]]":                "Everywhere",
		"tea [[sample=2026-11-21/1]] [[brands=Ollaro:1]]":                              "Ollaro",
		"tea [[sample=2026-11-21/1]] [[brands=Ollaro:1]][[shift=2026-11-21:Ollaro:0]]": "",
		"tea [[sample=1]] [[brands=Ollaro:1]][[shift=2026-11-21:Ollaro:0]]":            "Ollaro",
	} {
		page := said(t, site, prompt, "")
		for _, brand := range []string{"Everywhere", "Ollaro"} {
			if strings.Contains(page, brand) != (brand == want) {
				t.Errorf("%q names %s, want %q", prompt, brand, want)
			}
		}
	}
}
