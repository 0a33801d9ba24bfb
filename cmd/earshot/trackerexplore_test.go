package main

import (
	"net/http"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// swept creates a tracker with two sweeps of two prompts.
func swept(t *testing.T) (user, *harness.Node, *app.Account) {
	t.Helper()
	n := harness.Start(t, harness.AllNamed(t))
	a := n.Organization(t, "many", 1000)
	n.Send(t, a, http.MethodPut, "/v1/trackers/shoes", `{"brands":[{"name":"Ollaro","own":true,"domains":["ollaro.example"]},{"name":"Kestrin","aliases":[{"name":"Kes","match":{"case":"exact"}}]}],
		"prompts":["best running shoes","trail shoes"],"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "apply", http.StatusOK)
	for _, key := range []string{`{"idempotencyKey":"a"}`, `{"idempotencyKey":"b"}`} {
		var started earshot.SweepStarted
		n.Post(t, a, "/v1/trackers/shoes/sweeps", key).Has(t, "run", http.StatusOK).Into(t, &started)
		harness.Eventually(t, "the sweep ends", func() bool {
			var sweep earshot.Sweep
			n.Get(t, a, "/v1/trackers/shoes/sweeps/"+started.Sweep.ID).Has(t, "the sweep", http.StatusOK).Into(t, &sweep)
			return sweep.State == earshot.SweepClosed
		})
	}
	return user{t, n.BaseURL, a.Key.Text}, n, a
}

func TestTrackerExploreCommands(t *testing.T) {
	t.Parallel()
	u, n, a := swept(t)
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/shoes/answers?promptId=1").Has(t, "answers", http.StatusOK).Into(t, &page)
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"names", "shoes", "Ollaro", "--brand", "Ollaro", "--case", "exact"}, "NAMED NOW|searched 4 answers|PLACE|made up"},
		{[]string{"names", "shoes", "Ollaro Aero", "Kestrin Aero"}, "Ollaro (Ollaro) is contained in Ollaro Aero (Ollaro Aero)"},
		{[]string{"names", "shoes", "Ollaro", "--brand", "Ollaro", "--json"}, `"contexts"|"collisions"`},
		{[]string{"discover", "shoes"}, "FIRST SEEN|chatassistant/US|list"},
		{[]string{"discover", "shoes", "--csv", "--limit", "1"}, "NAME,ANSWERS,SHARE"},
		{[]string{"diff", "shoes", page.Answers[1].ID, page.Answers[0].ID}, "NOISE|brands|domains|PAGE"},
		{[]string{"diff", "shoes", page.Answers[1].ID, page.Answers[0].ID, "--json"}, `"sameCell": true`},
	} {
		out, errOut, status := u.does(append([]string{"tracker"}, one.args...)...)
		for _, want := range strings.Split(one.want, "|") {
			if !strings.Contains(out+errOut, want) || status != 0 {
				t.Errorf("%v: no %q, status %d\n%s%s", one.args, want, status, out, errOut)
			}
		}
	}
	if _, errOut, status := u.does("tracker", "discover", "boots"); status != 1 || !strings.Contains(errOut, "no tracker boots") {
		t.Errorf("another tracker: %q, %d", errOut, status)
	}
	if _, errOut, status := u.does("tracker", "names", "shoes", "x", "--brand", "Nobody"); status != 1 || !strings.Contains(errOut, "brand: must be a brand of the panel") {
		t.Errorf("another brand: %q, %d", errOut, status)
	}
}
