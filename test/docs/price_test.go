package docs

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
)

// definitions are those of all providers.
func definitions() []provider.Definition {
	var all []provider.Definition
	for _, p := range app.Providers() {
		all = append(all, p.Definition())
	}
	return all
}

func TestPricesAreThoseOfTheCatalogue(t *testing.T) {
	t.Parallel()
	want := map[string]string{"surcharge." + provider.ItemSync: "0", "surcharge." + provider.ItemState: "0"}
	for _, d := range definitions() {
		for _, price := range d.Prices {
			want[d.Name+"."+price.Item] = fmt.Sprint(price.Credits)
		}
	}
	got := map[string]string{}
	for _, row := range pages(t, "docs/pricing.md")[0].table(t, "Item") {
		got[row[0]] = row[1]
	}
	if !maps.Equal(got, want) {
		t.Errorf("the page says %v, the catalogue %v", got, want)
	}
}

func TestTheServiceQuotesWhatThePageSays(t *testing.T) {
	t.Parallel()
	s := start(t)
	rows := pages(t, "docs/pricing.md")[0].table(t, "Task type")
	for _, d := range definitions() {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == d.TaskType }) {
			t.Errorf("the page has no example of %s", d.TaskType)
		}
	}
	for _, row := range rows {
		answer := s.post(t, "/v1/quote", fmt.Sprintf(`{"taskType": %q, "payload": %s}`, row[0], row[1]))
		if want := fmt.Sprintf(`{"success":true,"creditsToCharge":%s,`, row[2]); !strings.HasPrefix(answer, want) {
			t.Errorf("%s %s: the page says %s, the service %s", row[0], row[1], row[2], answer)
		}
	}
}

// post sends a JSON text to the service and gives its answer.
func (s *service) post(t *testing.T, path, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestPlansAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	var want [][]string
	for _, p := range account.DefaultPlans() {
		want = append(want, []string{p.Name, fmt.Sprint(p.Slots), fmt.Sprint(p.CreditsPerCycle), fmt.Sprint(p.RequestsPerSecond), fmt.Sprint(p.QueueCapacity)})
	}
	got := pages(t, "docs/pricing.md")[0].table(t, "Plan")
	for _, row := range got {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], ",", "")
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the page says %v, the code %v", got, want)
	}
}
