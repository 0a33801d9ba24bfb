package tracking

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot"
	"earshot/test/harness"
)

// shown is the text of a page. It fails where there is a script, or anything else that a
// name might have brought.
func shown(t *testing.T, page []byte) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "style":
			words.WriteString(n.Data + " ")
		case n.Type == html.ElementNode && (n.Data == "script" || n.Data == "a" || n.Data == "img"):
			t.Errorf("the page has a %s", n.Data)
		}
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(words.String()), " "), "\u00a0", " ")
}

// A report has the digits that the API gives, in both formats.
func TestAReportHasTheNumbersOfTheAPI(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		makeDemo(t, n, a, `{"days":16,"prompts":4}`)
		var compared earshot.CompareReport
		n.Get(t, a, "/v1/trackers/demo/compare?from="+daysAgo(n, 7)).Has(t, "compare", http.StatusOK).Into(t, &compared)
		within := fmt.Sprintf("from=%s&to=%s", compared.Period.From, compared.Period.To)
		var numbers, sweeps earshot.MetricReport
		n.Get(t, a, "/v1/trackers/demo/metrics?by=brand&metric=visibility,shareOfVoice,firstNamed,citationRate&"+within).Has(t, "metrics", http.StatusOK).Into(t, &numbers)
		n.Get(t, a, "/v1/trackers/demo/metrics?by=sweep&metric=visibility&"+within).Has(t, "metrics by sweep", http.StatusOK).Into(t, &sweeps)
		var sources earshot.SourceReport
		n.Get(t, a, "/v1/trackers/demo/sources?limit=15&"+within).Has(t, "sources", http.StatusOK).Into(t, &sources)

		path := "/v1/trackers/demo/report?from=" + daysAgo(n, 7)
		page := other.Get(t, a, path).Has(t, "report", http.StatusOK)
		text := strings.ReplaceAll(string(other.Get(t, a, path+"&format=md").Has(t, "report as text", http.StatusOK).Body), "\u00a0", " ")
		words := shown(t, page.Body)
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
			"Content-Disposition": `attachment; filename="demo-` + compared.Period.To + `.html"`, "X-Content-Type-Options": "nosniff",
		} {
			if got := page.Header.Get(name); got != want {
				t.Errorf("%s is %s", name, got)
			}
		}
		for what, want := range digitsOf(&compared, &numbers, &sweeps, &sources) {
			if !strings.Contains(words, want) {
				t.Errorf("the page lacks %s: %s\n%s", what, want, words)
			}
			if !strings.Contains(text, want) {
				t.Errorf("the text lacks %s: %s\n%s", what, want, text)
			}
		}
		if !strings.Contains(words, "Made up. The built-in lab wrote these answers") {
			t.Error("it does not say that it is made up")
		}
	})
}

func daysAgo(n *harness.Node, days int) string {
	return n.Store.Now().AddDate(0, 0, -days).Format("2006-01-02")
}

// digitsOf are the numbers that a report must have, as it writes them.
func digitsOf(compared *earshot.CompareReport, numbers, sweeps *earshot.MetricReport, sources *earshot.SourceReport) map[string]string {
	digits := map[string]string{}
	share := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	for _, r := range numbers.Rows {
		digits[r.Brand+" "+r.Metric] = share(*r.Value)
		digits[r.Brand+" "+r.Metric+" asked again"] = fmt.Sprintf("%.1f–%.1f %%", 100*r.Interval.Rerun[0], 100*r.Interval.Rerun[1])
		digits[r.Brand+" "+r.Metric+" of"] = fmt.Sprintf("%.0f of %.0f", r.Numerator, r.Denominator)
	}
	for _, r := range compared.Rows {
		if r.Target == "*" || r.Brand == "Ollaro" {
			digits[r.Brand+" change on "+r.Target] = strings.Replace(fmt.Sprintf("%+.1f points", 100**r.Change), "-", "−", 1)
			digits[r.Brand+" before and after on "+r.Target] = share(*r.Before) + " → " + share(*r.After)
		}
	}
	for _, r := range sweeps.Rows {
		digits[r.Brand+" in "+r.Sweep] = share(*r.Value) + " · "
	}
	for _, r := range sources.Rows {
		digits[r.Domain] = share(*r.Share)
		digits[r.Domain+" of"] = fmt.Sprintf("%d of %d", r.Citations, r.AllCitations)
	}
	return digits
}

// Names and questions of others are shown, and are nothing but text.
func TestAReportEscapesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	const bad = "<script>alert(1)</script>|`]("
	definition, err := json.Marshal(map[string]any{
		"brands": []any{map[string]any{"name": bad, "own": true}}, "prompts": []string{"is it good? " + bad + "http://evil.example)", "another"},
		"targets": []any{map[string]string{"provider": "chatassistant", "country": "US"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	n.Send(t, a, http.MethodPut, "/v1/trackers/bad", string(definition)).Has(t, "apply", http.StatusOK)
	if words := shown(t, n.Get(t, a, "/v1/trackers/bad/report").Has(t, "an empty report", http.StatusOK).Body); !strings.Contains(words, "This period has no answers of closed sweeps") {
		t.Errorf("before the first sweep it says %s", words)
	}
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/bad/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep ends", func() bool {
		var sweep earshot.Sweep
		n.Get(t, a, "/v1/trackers/bad/sweeps/"+started.Sweep.ID).Has(t, "the sweep", http.StatusOK).Into(t, &sweep)
		return sweep.State == earshot.SweepClosed
	})
	if words := shown(t, n.Get(t, a, "/v1/trackers/bad/report").Has(t, "report", http.StatusOK).Body); strings.Count(words, bad) < 4 || !strings.Contains(words, "provisional") {
		t.Errorf("it says %s", words)
	}
	if text := string(n.Get(t, a, "/v1/trackers/bad/report?format=md").Has(t, "report as text", http.StatusOK).Body); strings.Contains(text, "<script") || !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;\\|\\`\\](") {
		t.Errorf("it says %s", text)
	}
}
