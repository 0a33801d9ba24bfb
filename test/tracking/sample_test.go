package tracking

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/lab"
	"earshot/internal/lab/world"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/upstream"
)

// sampling asks a provider as tasks of trackers are asked, through the lab's pages and the
// provider's own readers.
func sampling(t testing.TB, p provider.Provider, w *lab.World) func(body, sample string) any {
	t.Helper()
	about := p.Definition()
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceLab, Sites: map[string]string{about.Site.Name: about.Lab().URL()}, Transport: lab.Direct(lab.Populate(w, about.Lab())...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(body, sample string) any {
		in, err := schema.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		request := p.Decode(in)
		if err := in.Err(); err != nil {
			t.Fatal(err)
		}
		outcome, err := request.Ask(t.Context(), client.NewSample(sample))
		if err != nil {
			t.Fatalf("%s %s: %v", about.Name, sample, err)
		}
		return outcome.Result
	}
}

func providerNamed(t testing.TB, name string) provider.Provider {
	t.Helper()
	all := app.Providers()
	i := slices.IndexFunc(all, func(p provider.Provider) bool { return p.Definition().Name == name })
	return all[i]
}

func BenchmarkSample(b *testing.B) {
	for name, body := range map[string]string{
		"chatassistant": `{"prompt":"best garden chairs","country":"US"}`, "answerengine": `{"prompt":"best garden chairs","country":"US"}`,
		"searchaimode": `{"prompt":"best garden chairs","country":"US"}`, "genassistant": `{"prompt":"best garden chairs","country":"US"}`,
		"websearch#plain": `{"query":"best garden chairs","country":"US"}`, "websearch#none": `{"query":"best garden chairs [[overview=none]]","country":"US"}`,
		"socialassistant": `{"prompt":"best garden chairs","country":"US"}`,"officeassistant": `{"prompt":"best garden chairs","country":"US"}`,
		"websearch": `{"query":"best garden chairs","country":"US","include":{"searchoverview":{}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			ask := sampling(b, providerNamed(b, strings.Split(name, "#")[0]), world.DefaultRates())
			size := 0
			for i := range b.N {
				text, _ := json.Marshal(ask(body, fmt.Sprint("2026-11-20/", i)))
				size = len(text)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

var _ = strings.Contains
