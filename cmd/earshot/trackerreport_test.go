package main

import (
	"fmt"
	"net/http"
	"testing"

	"earshot/internal/app"
	"earshot/test/harness"
)

func TestScheduledReportsAndExportsAreShown(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks, func(cfg *app.Config) { cfg.Exports = t.TempDir() })
	a := n.Organization(t, "many", 1000)
	receiver := harness.Receive(t, 204)
	n.Send(t, n.Admin(t, a), http.MethodPut, "/v1/channels/board", fmt.Sprintf(`{"kind":"slack","url":%q}`, receiver.URL)).Has(t, "save a channel", http.StatusOK)
	n.Send(t, a, http.MethodPut, "/v1/trackers/shoes", `{"prompts":["best shoes"],"targets":[{"provider":"chatassistant","country":"US"}],
		"reports":{"every":"week","channels":["board"]},"exports":{"tables":["answers"]}}`).Has(t, "apply", http.StatusOK)
	u := user{t, n.BaseURL, a.Key.Text}
	says := func(args ...string) string {
		out, _ := u.succeeds(append([]string{"tracker"}, args...)...)
		return out
	}
	wants(t, says("show", "shoes"), "next report", "exports", "0 days to be written, last written -")
	u.succeeds("api", "POST", "/v1/trackers/shoes/report", "-f", "channel=board")
	harness.Eventually(t, "it arrives", func() bool { return len(receiver.Webhooks()) > 0 })
	wants(t, says("show", "shoes"), "last report", "board (")
}
