package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/test/harness"
)

func TestTrackerMetricsCommands(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	u := user{t, n.BaseURL, a.Key.Text}
	n.Send(t, a, http.MethodPut, "/v1/trackers/shoes", `{"brands":[{"name":"Ollaro","own":true},{"name":"Kestrin"}],"prompts":["best running shoes","trail shoes"],
		"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "apply", http.StatusOK)
	out, errOut, status := u.does("tracker", "metrics", "shoes")
	if out != "" || status != 0 || !strings.Contains(errOut, "no answers") {
		t.Errorf("without answers: %q, %q, %d", out, errOut, status)
	}
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/shoes/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep ends", func() bool {
		var sweep earshot.Sweep
		n.Get(t, a, "/v1/trackers/shoes/sweeps/"+started.Sweep.ID).Has(t, "the sweep", http.StatusOK).Into(t, &sweep)
		return sweep.State == earshot.SweepClosed
	})
	for _, one := range []struct{ args, want string }{
		{"metrics shoes", "visibility@m1|Ollaro|chatassistant/US|/2|provisional|made up"},
		{"metrics shoes --metric shareOfVoice --by brand,day --having brand:Kestrin --csv", "METRIC,BRAND,DAY,VALUE|shareOfVoice@m1,Kestrin,20"},
		{"metrics shoes --json", `"answersUrl"|"rules": "r1"`},
		{"compare shoes", "compared with|tooEarly|exploratory; prompts 2 (a decision needs 50)"},
		{"compare shoes --json", `"cellsLeftOut": 2`},
		{"sources shoes --by type", "TYPE|%|RETRIEVED"},
		{"sources shoes --since --from 2020-01-01 --brand Ollaro --json", `"baseline"`},
		{"searches shoes --json", `"tracker": "shoes"|"rows"`},
		{"products shoes --csv", "PRODUCT,BRANDS,SHARE"},
		{"ads shoes", "no ads are reported"},
		{"report shoes", "<!doctype html>|Brand visibility report: shoes|Ollaro is named in|Made up."},
		{"report shoes --format md", "# Brand visibility report: shoes|not enough data yet"},
	} {
		out, errOut, status := u.does(append([]string{"tracker"}, strings.Fields(one.args)...)...)
		for _, want := range strings.Split(one.want, "|") {
			if !strings.Contains(out+errOut, want) || status != 0 {
				t.Errorf("%s: no %q, status %d\n%s%s", one.args, want, status, out, errOut)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "shoes.md")
	u.succeeds("tracker", "report", "shoes", "-o", file)
	if written, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(written), "# Brand visibility report: shoes\n") {
		t.Errorf("a file that ends in md is %.100s, %v", written, err)
	}
	if _, errOut, status := u.does("tracker", "report", "boots"); status != 1 || !strings.Contains(errOut, "no tracker boots") {
		t.Errorf("a report of another tracker: %q, %d", errOut, status)
	}
	if _, errOut, status := u.does("tracker", "compare", "boots"); status != 1 || !strings.Contains(errOut, "no tracker boots") {
		t.Errorf("another tracker: %q, %d", errOut, status)
	}
	if _, errOut, status := u.does("tracker", "metrics", "shoes", "--metric", "fame"); status != 1 || !strings.Contains(errOut, `metric: there is no metric "fame"`) {
		t.Errorf("another metric: %q, %d", errOut, status)
	}
}
