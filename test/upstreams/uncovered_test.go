package upstreams_test

import (
	"encoding/json"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// A request that no configured upstream can serve is refused with the name of the field, before anything
// is sent or charged. With another upstream, that one is asked.
func TestWhatNoUpstreamServesIsRefused(t *testing.T) {
	t.Parallel()
	settings := func(upstreams ...string) func(*app.Config) {
		return func(cfg *app.Config) {
			cfg.Getenv = func(name string) string {
				return map[string]string{"EARSHOT_BRIGHTDATA_API_KEY": vendorKey, "EARSHOT_BRIGHTDATA_URL": "http://127.0.0.1:9"}[name]
			}
			cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: upstreams}}
		}
	}
	const request = `{"prompt":"Which shoes?","country":"US","state":"CA"}`
	n := harness.Start(t, settings("via:brightdata"))
	a := n.Organization(t, "starter", 1000)
	r := n.Post(t, a, "/v1/monitor/chatassistant", request)
	var refused struct {
		Error struct {
			Code    earshot.Code
			Details []earshot.FieldProblem
		}
	}
	if err := json.Unmarshal(r.Body, &refused); err != nil || r.StatusCode != 400 || len(refused.Error.Details) != 1 || refused.Error.Details[0].Field != "state" {
		t.Errorf("got %d %s", r.StatusCode, r.Body)
	}
	n = harness.Start(t, settings("via:brightdata", "lab"))
	if r := n.Post(t, n.Organization(t, "starter", 1000), "/v1/monitor/chatassistant", request); r.StatusCode != 200 {
		t.Errorf("with the lab: %d %s", r.StatusCode, r.Body)
	}
}
