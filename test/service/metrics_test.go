package service_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"earshot/internal/app"
	"earshot/test/harness"
	"earshot/test/harness/tool"
)

// TestMetrics reads the metrics of a node with Prometheus's own parser. The file lists
// the names, types and labels on which dashboards and alerts rely.
func TestMetrics(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.AllowPrivateWebhooks = true })
	a := n.Organization(t, "business", 1000)
	receiver := harness.Receive(t, http.StatusOK)
	n.Submit(t, a, harness.ChatTask("shoes", receiver.Field()))
	harness.Eventually(t, "the webhook arrives", func() bool { return len(receiver.Webhooks()) == 1 })
	want, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var page []byte
	harness.Eventually(t, "the webhook is counted", func() bool {
		page = n.Get(t, nil, "/metrics").Has(t, "metrics", http.StatusOK).Body
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		got = nil
		for name, family := range families {
			line := name + " " + strings.ToLower(family.GetType().String())
			for _, label := range family.GetMetric()[0].GetLabel() {
				line += " " + label.GetName()
			}
			if family.GetHelp() == "" {
				t.Errorf("%s has no help", name)
			}
			got = append(got, line)
		}
		return families["earshot_webhook_tries_total"] != nil
	})
	slices.Sort(got)
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), got); diff != "" {
		t.Error(diff)
	}
	for _, pool := range []string{"calls", "requests", "streams", "bodies", "lookups", "strangers", "connections", "tasks", "webhooks", "guest turns", "POST /v1/session"} {
		for _, want := range []string{
			fmt.Sprintf(`earshot_shared_capacity{pool=%q}`, pool), fmt.Sprintf(`earshot_shared_used{pool=%q}`, pool),
			fmt.Sprintf(`earshot_shared_refused_total{pool=%q}`, pool),
		} {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("the metrics lack %s", want)
			}
		}
	}
	t.Run("conventions", func(t *testing.T) {
		t.Parallel()
		check := exec.CommandContext(t.Context(), tool.Find(t, "promtool"), "check", "metrics")
		check.Stdin = bytes.NewReader(page)
		if text, err := check.CombinedOutput(); err != nil || len(text) > 0 {
			t.Errorf("%v: %s", err, text)
		}
	})
}
