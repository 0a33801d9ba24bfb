package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
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
		{[]string{"names", "list", "shoes"}, "Ollaro (own)|ollaro.example|Kes |case exact"},
		{[]string{"names", "list", "shoes", "--csv"}, "BRAND,NAME,OPTIONS,DOMAINS|Kestrin,Kes,case exact,-"},
		{[]string{"names", "try", "shoes", "Ollaro", "--brand", "Ollaro", "--case", "exact"}, "NAMED NOW|searched 4 answers|PLACE|made up"},
		{[]string{"names", "try", "shoes", "Ollaro Aero", "Kestrin Aero"}, "Ollaro (Ollaro) is contained in Ollaro Aero (Ollaro Aero)"},
		{[]string{"names", "try", "shoes", "Ollaro", "--brand", "Ollaro", "--json"}, `"contexts"|"collisions"`},
		{[]string{"discover", "shoes"}, "FIRST SEEN|chatassistant/US|list"},
		{[]string{"discover", "shoes", "--csv", "--limit", "1"}, "NAME,ANSWERS,SHARE"},
		{[]string{"diff", "shoes", page.Answers[1].ID, page.Answers[0].ID}, "NOISE|brands|domains|PAGE"},
		{[]string{"diff", "shoes", page.Answers[1].ID, page.Answers[0].ID, "--json"}, `"sameCell": true`},
		{[]string{"reanalyse", "shoes", "--every", "10ms"}, "r2: 4 answers analysed|BRAND|GAINED|Kestrin"},
		{[]string{"work", "shoes", "--json"}, `"work":`},
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
	if _, errOut, status := u.does("tracker", "names", "try", "shoes", "x", "--brand", "Nobody"); status != 1 || !strings.Contains(errOut, "brand: must be a brand of the panel") {
		t.Errorf("another brand: %q, %d", errOut, status)
	}
}

func TestVerifyRecomputesAnExport(t *testing.T) {
	t.Parallel()
	u, _, _ := swept(t)
	file := filepath.Join(t.TempDir(), "shoes.ndjson")
	if _, errOut, status := u.does("tracker", "export", "shoes", "--table", "numbers", "-o", file); status != 0 {
		t.Fatalf("export: %s", errOut)
	}
	out, err := earshotCommand(t, "tracker", "verify", file)
	if err != nil || !strings.Contains(out, "visibility@m1, Ollaro, chatassistant/US") || !strings.Contains(out, "values agree with the recomputed values") || strings.Contains(out, "differs") {
		t.Fatalf("verify: %v\n%s", err, out)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(written), "\n")
	// An answer that names somebody else, and a number that is stated wrong.
	for name, change := range map[string]struct {
		line     func(string) string
		want     string
		mustHave string
	}{
		"another answer": {func(l string) string {
			if !strings.HasPrefix(l, `{"answer"`) {
				return l
			}
			before, result, _ := strings.Cut(l, `"result":`)
			return before + `"result":` + strings.ReplaceAll(result, "Ollaro", "Nobody")
		}, "answer ", "visibility@m1, Ollaro, chatassistant/US"},
		"another number": {func(l string) string {
			if strings.HasPrefix(l, `{"number":{"metric":"informative`) {
				return strings.Replace(l, `"numerator":`, `"numerator":9`, 1)
			}
			return l
		}, "informative@m1, chatassistant/US", "numerator"},
		"a missing number": {func(l string) string {
			if strings.HasPrefix(l, `{"number":{"metric":"informative`) {
				return ""
			}
			return l
		}, "informative@m1, chatassistant/US", "numerator"},
	} {
		changed := make([]string, len(lines))
		for i, l := range lines {
			changed[i] = change.line(l)
		}
		forged := writeFile(t, "forged.ndjson", strings.Join(changed, "\n"))
		out, err := earshotCommand(t, "tracker", "verify", forged)
		var differs []string
		for l := range strings.Lines(out) {
			if strings.HasSuffix(strings.TrimSpace(l), "differs") {
				differs = append(differs, l)
			}
		}
		all := strings.Join(differs, "")
		if !errors.Is(err, errUnproven) || !strings.Contains(all, change.want) || !strings.Contains(all, change.mustHave) {
			t.Errorf("%s: %v\n%s", name, err, all)
		}
	}
	for _, text := range []string{"", "{}", `{"answer":{}}`, "no JSON", lines[0] + "\n" + lines[0]} {
		if _, err := earshotCommand(t, "tracker", "verify", writeFile(t, "none.ndjson", text)); err == nil || !strings.Contains(err.Error(), "is not an export with --table numbers") {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
