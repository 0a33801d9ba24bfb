package upstreams_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/upstream"
	"earshot/test/harness"
)

func TestEveryProvidersDocumentsCanBeReadAgain(t *testing.T) {
	t.Parallel()
	for _, p := range app.Providers() {
		name := p.Definition().Name
		_, err := app.Parse(t.Context(), app.Stored{Provider: name, Document: []byte("garbage"), Request: map[string]any{"country": "US"}})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != earshot.ReasonUnreadable {
			t.Errorf("%s makes of garbage: %v", name, err)
		}
	}
}

func TestEveryProviderIsWatched(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "business", 1000)
	for _, p := range app.Providers() {
		about := p.Definition()
		body := map[string]any{}
		if err := json.Unmarshal([]byte(about.FullRequest), &body); err != nil {
			t.Fatal(err)
		}
		body[about.TextField()], body["country"] = "shoes", "US"
		n.Post(t, a, "/v1/monitor/"+about.Name, harness.JSON(t, body)).Has(t, about.Name, http.StatusOK)
	}
	page := string(n.Get(t, nil, "/metrics").Has(t, "metrics", http.StatusOK).Body)
	for _, p := range app.Providers() {
		name := p.Definition().Name
		found := regexp.MustCompile(`earshot_extraction_found_total\{field="[^"]+",provider="`+name+`",upstream="lab"\} [1-9]`).FindAllString(page, -1)
		if len(found) < min(3, len(p.Definition().HealthFields)) {
			t.Errorf("of %s only %v were found", name, found)
		}
	}
}
