package upstreams_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/outbound"
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
	if err := n.Stop(); err != nil { // which stores the counts
		t.Fatal(err)
	}
	counts, err := outbound.New(n.Store.DB).FieldCounts(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	filled := map[string]int64{}
	for key, count := range counts {
		filled[key.Provider] += count.Filled
	}
	for _, p := range app.Providers() {
		name := p.Definition().Name
		if filled[name+"/lab"] < int64(min(3, len(p.Definition().HealthFields))) {
			t.Errorf("of %s only %d fields were seen filled: %v", name, filled[name+"/lab"], counts)
		}
	}
}
