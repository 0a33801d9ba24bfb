package upstreams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/app"
	"earshot/internal/provider/serp/labsite"
	"earshot/test/harness"
)

// Search pages that want scripts and a word on cookies are asked through guard and proxy,
// and hold what the lab's own pages hold.
func TestSearchIsAskedInABrowser(t *testing.T) {
	t.Parallel()
	harness.NeedBrowser(t)
	n, germany := startWeb(t, func(cfg *app.Config) {
		cfg.Settings.Web.Proxies["*"] = cfg.Settings.Web.Proxies["DE"] // links are resolved from elsewhere
	})
	account := n.Organization(t, "business", 1000)
	direct := harness.Start(t)
	same := direct.Organization(t, "business", 1000)
	for provider, field := range map[string]string{"websearch": "query", "websearch/news": "query", "searchaimode": "prompt"} {
		body := func(words string) string { return fmt.Sprintf(`{%q:"umbrella%s","country":"DE"}`, field, words) }
		got, want := n.Result(t, account, provider, body(" [[consent]] [[scripts]]")), direct.Result(t, same, provider, body(""))
		if got["surface"] != "web" || fmt.Sprint(got["location"]) != "map[country:DE]" {
			t.Errorf("%s: surface %v, location %v", provider, got["surface"], got["location"])
		}
		want["surface"] = "web"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-lab +web):\n%s", provider, diff)
		}
	}
	link, err := json.Marshal("http://search.lab.test" + labsite.Hide("https://shop.example/") + "&lab=[[scripts]]")
	if err != nil {
		t.Fatal(err)
	}
	if r := n.Post(t, account, harness.GotoPath, fmt.Sprintf(`{"url":%s}`, link)); r.StatusCode != http.StatusOK || !strings.Contains(string(r.Body), "https://shop.example/") {
		t.Errorf("link: %s %s", r.Status, r.Body)
	}
	if germany.saw("shop.example") {
		t.Error("the destination of a link was opened")
	}
}
