package agreement_test

import (
	"math"
	"testing"

	"earshot"
	"earshot/internal/provider/agreement"
)

func figure(v *float64) float64 {
	if v == nil {
		return -1
	}
	return math.Round(*v*1000) / 1000
}

// TestCompare compares results; -1 means that there is nothing to compare.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                     string
		a, b                     string
		domains, organic, fields float64
	}{
		{"equal", `{"text":"x","sources":[{"url":"https://www.a.example/1"}]}`, `{"text":"y","sources":[{"url":"https://shop.a.example/2"}]}`, 1, -1, 1},
		{
			"half", `{"text":"x","sources":[{"url":"https://a.co.uk/"},{"url":"https://b.co.uk/"}]}`,
			`{"text":"x","citationPills":[{"url":"https://a.co.uk/x"}]}`, 0.5, -1, 0.333,
		},
		{"only one cites", `{"text":"x","sources":[]}`, `{"text":"x","sources":[{"url":"https://a.example/"}]}`, 0, -1, 0.5},
		{"nothing to compare", `{"surface":"api","text":""}`, `{"surface":"vendor","via":"cloro","sources":[],"model":null}`, -1, -1, -1},
		{
			"search pages", `{"organicResults":[{"link":"https://www.a.example/x/?utm_source=q"},{"link":"https://b.example/?p=1"}],"searchoverview":{"sources":[{"url":"https://c.example/"}]}}`,
			`{"organicResults":[{"link":"http://a.example/x#part"},{"link":"https://b.example/?p=2"}]}`, 0, 0.5, 0.5,
		},
		{"news", `{"newsResults":[{"link":"https://a.example/1"}]}`, `{"newsResults":[{"link":"https://a.example/1"},{"link":"https://a.example/2"}]}`, -1, 0.5, 1},
		{
			"the eleventh result", `{"organicResults":[{"link":"https://a.example/1"},{"link":"2"},{"link":"3"},{"link":"4"},{"link":"5"},{"link":"6"},{"link":"7"},{"link":"8"},{"link":"9"},{"link":"10"},{"link":"https://a.example/11"}]}`,
			`{"organicResults":[{"link":"https://a.example/11"}]}`, -1, 0, 1,
		},
	} {
		got, err := agreement.Compare([]byte(c.a), []byte(c.b))
		if err != nil || figure(got.Domains) != c.domains || figure(got.Organic) != c.organic || figure(got.Fields) != c.fields {
			t.Errorf("%s: domains %v, organic %v, fields %v, %v", c.name, figure(got.Domains), figure(got.Organic), figure(got.Fields), err)
		}
		back, err := agreement.Compare([]byte(c.b), []byte(c.a))
		if err != nil || figure(back.Domains) != c.domains || figure(back.Organic) != c.organic || figure(back.Fields) != c.fields {
			t.Errorf("%s: the order of the results matters", c.name)
		}
	}
	if _, err := agreement.Compare([]byte(`{}`), []byte(`no`)); err == nil {
		t.Error("a result that is not JSON was compared")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	pair := func(second string, domains float64, reason earshot.Reason) *agreement.Pair {
		p := &agreement.Pair{Provider: "chat", Country: "US", First: "via:a", Second: second, Reason: reason, FirstMs: 10, SecondMs: int64(1000 * domains), FirstMicroUSD: 100, SecondMicroUSD: 201}
		if reason == "" {
			p.Domains = &domains
		}
		return p
	}
	report := agreement.Report([]*agreement.Pair{
		pair("via:b", 0.2, ""), pair("via:b", 0.4, ""), pair("via:b", 0.6, ""), pair("via:b", 0, earshot.ReasonTimeout),
		pair("via:a", 0.9, ""),
		{Provider: "chat", Country: "DE", First: "via:a", Second: "via:a", Reason: earshot.ReasonBlocked},
	})
	if len(report) != 2 {
		t.Fatalf("the groups are %+v", report)
	}
	alone := report[0]
	if alone.Country != "DE" || alone.Second != "via:a" || alone.Between != nil || alone.Within == nil || alone.Within.FailedShare != 1 || alone.Within.Domains != nil {
		t.Errorf("a group without a second upstream is %+v", alone)
	}
	b, w := report[1].Between, report[1].Within
	if report[1].Second != "via:b" || b.Pairs != 4 || b.FailedShare != 0.25 || b.SecondP50Ms != 200 || b.FirstUSD != 0.0001 || b.SecondUSD != 0.000201 {
		t.Errorf("between: %+v", b)
	}
	// The standard deviation is 0.2, so the interval is ±4.303 × 0.2 / √3.
	if d := b.Domains; d.Pairs != 3 || math.Abs(d.Mean-0.4) > 1e-9 || *d.Low != 0 || math.Abs(*d.High-0.8968676) > 1e-6 {
		t.Errorf("the domains between are %+v, %v to %v", d, *d.Low, *d.High)
	}
	if b.Brands != nil || w.Pairs != 1 || w.Domains.Mean != 0.9 || w.Domains.Low != nil {
		t.Errorf("within: %+v", w)
	}
}
