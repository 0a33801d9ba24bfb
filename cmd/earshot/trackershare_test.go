package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"earshot"
	"earshot/test/harness"
)

func TestTrackerShare(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	n.Send(t, a, http.MethodPut, "/v1/trackers/shoes", `{"prompts":["best shoes"],"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "apply", http.StatusOK)
	u := user{t, n.BaseURL, a.Key.Text}
	says := func(args ...string) string {
		out, _ := u.succeeds(append([]string{"tracker", "share", "shoes"}, args...)...)
		return out
	}
	if _, errOut, status := u.does("tracker", "share", "shoes"); status != 1 || !strings.Contains(errOut, "pass --yes") {
		t.Errorf("without --yes: %q, %d", errOut, status)
	}
	if out := says("--list", "--json"); out != "[]\n" {
		t.Errorf("it published without --yes: %s", out)
	}
	made := says("--title", "For Ana", "--days", "7", "--yes")
	link := regexp.MustCompile(`(?s)^\S+(/share/ear_link_([a-z2-7]+)_\S+)\n.*--revoke ([a-z2-7]+)\n$`).FindStringSubmatch(made)
	if len(link) != 4 || link[2] != link[3] {
		t.Fatalf("it prints %s", made)
	}
	wants(t, string(harness.Do(t, n.Request(t.Context(), t, nil, http.MethodGet, link[1], "")).Body), "<h1>For Ana</h1>")
	says("--from", "2026-11-01", "--to", "2026-11-07", "--yes")
	wants(t, says("--list"), "For Ana", "7 days", "2026-11-01 to 2026-11-07", "valid until")
	wants(t, says("--revoke", link[2]), "revoked: "+link[2])
	var listed []earshot.ShareLink
	if err := json.Unmarshal([]byte(says("--list", "--json")), &listed); err != nil || len(listed) != 2 || listed[1].ID != link[2] || listed[1].RevokedAt == nil {
		t.Errorf("listed %+v, %v", listed, err)
	}
	for _, args := range [][]string{{"--days", "7", "--from", "2026-11-01", "--to", "2026-11-07", "--yes"}, {"--revoke", "none"}, {"--list", "--days", "7"}, {"--expires", "9000h", "--yes"}} {
		if _, errOut, status := u.does(append([]string{"tracker", "share", "shoes"}, args...)...); status != 1 || strings.TrimSpace(errOut) == "" {
			t.Errorf("%v: %q, %d", args, errOut, status)
		}
	}
}
