package examples

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/client"
)

func TestSlackDigest(t *testing.T) {
	t.Parallel()
	since := newHistory(t)
	first, err := time.Parse(time.DateOnly, since)
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan []byte, 2)
	var refuse atomic.Bool // as if the incoming webhook were deleted
	slack := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the receiver got no JSON: %v", err)
		}
		if refuse.Load() {
			w.WriteHeader(http.StatusNotFound)
		}
		received <- message
	}))
	t.Cleanup(slack.Close)
	days := int(time.Since(first).Hours()/24) + 1
	digest := server.with("TRACKER=history", fmt.Sprint("DAYS=", days), "SLACK_WEBHOOK_URL="+slack.URL)
	digest.run(t, root, "python3", "examples/slack/digest.py")

	var message struct {
		Text   string
		Blocks []struct {
			Type string
			Text struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(<-received, &message); err != nil {
		t.Fatal(err)
	}
	all := message.Text
	for _, block := range message.Blocks {
		all += "\n" + block.Text.Text
	}
	if len(message.Blocks) != 5 || message.Blocks[0].Type != "header" || message.Blocks[0].Text.Type != "plain_text" {
		t.Errorf("the blocks are %+v", message.Blocks)
	}
	for _, want := range expected(t, since) {
		if !strings.Contains(all, want) {
			t.Errorf("the digest does not contain %q:\n%s", want, all)
		}
	}

	refuse.Store(true)
	if _, err := digest.try(t, root, "python3", "examples/slack/digest.py"); err == nil {
		t.Error("the digest does not fail when Slack refuses it")
	}
}

// expected returns texts that the digest must contain, from the Go client.
func expected(t *testing.T, since string) []string {
	t.Helper()
	c, days := client.New(server.url, server.key), earshot.MetricFilter{From: since}
	var texts []string
	metrics, err := c.TrackerMetrics(t.Context(), "history", earshot.MetricQuery{Metric: "visibility", By: "brand", MetricFilter: days})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range metrics.Rows {
		texts = append(texts, fmt.Sprintf("• %s: %.0f%%, %.0f%% to %.0f%%", row.Brand, 100**row.Value, 100*row.Interval.Rerun[0], 100*row.Interval.Rerun[1]))
	}
	compared, err := c.CompareTracker(t.Context(), "history", earshot.CompareQuery{MetricFilter: days})
	if err != nil {
		t.Fatal(err)
	}
	moved := slices.DeleteFunc(compared.Rows, func(r earshot.ComparedRow) bool { return r.Target != "*" || r.Verdict != earshot.VerdictMoved })
	for _, row := range moved {
		texts = append(texts, row.Summary)
	}
	sources, err := c.TrackerSources(t.Context(), "history", earshot.SourceQuery{By: "domain", MetricFilter: days, Since: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range sources.Rows {
		if row.Since != nil && row.Since.State == "gained" {
			texts = append(texts, row.Domain)
		}
	}
	for alert, err := range c.Alerts(t.Context(), "history", earshot.AlertQuery{Open: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if alert.RaisedAt.Format(time.DateOnly) >= since {
			texts = append(texts, alert.Summary)
		}
	}
	if len(moved) == 0 || len(texts) == len(metrics.Rows)+len(moved) {
		t.Fatal("the demo has no change or no alert, so the digest would prove little")
	}
	return texts
}
