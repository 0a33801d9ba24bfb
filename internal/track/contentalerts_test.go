package track_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track/alert"
)

// A rival that starts to advertise, a price that falls and a page that is no longer cited raise
// one alert each.
func TestContentsThatChangeRaiseAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), time.Now())
	w.complete = true // sweeps with too many missing answers are left out
	w.apply("shoes", `
brands: [{name: Ollaro, own: true, domains: [ollaro.example]}, {name: Kestrin, domains: [kestrin.example]}]
prompts: [a, b, c, d, e, f, g, h]
targets: [{provider: chatassistant, country: US, options: {include: {shopping: true, ads: true}}}]
alerts: {falseAlarmsPerYear: 10}
`)
	const page = `{"position":1,"url":"https://ollaro.example/test","label":"Test","domain":"ollaro.example"}`
	for sweep := range 2 * alert.Window {
		ads, pills, price := "", "", 100
		if sweep < alert.Window {
			pills = `{"citationPillId":"1",` + page[1:]
		}
		if sweep > alert.Window {
			ads = `{"position":1,"block":"answer","type":"text","title":"Kestrin sale","url":"https://kestrin.example/","domain":"kestrin.example"}`
			price = 80
		}
		w.result = fmt.Sprintf(`{"surface":"lab","text":"x","markdown":"x","sources":[%s],"citationPills":[%s],"ads":[%s],
				"inlineProducts":[{"position":1,"title":"Ollaro Road","price":{"raw":"$%d","value":%[4]d,"currency":"USD"}}]}`, page, pills, ads, price)
		w.now = w.now.Add(50 * time.Millisecond) // lists read answers by the time in their ids, which is real
		w.run("shoes", false)
	}
	w.checkStepped("shoes", 2*alert.Window)
	for kind, subject := range map[earshot.AlertKind]string{
		earshot.AlertAd: "Kestrin on chatassistant/US", earshot.AlertPrice: "ollaro road on chatassistant/US", earshot.AlertUncited: "pages",
	} {
		page, err := w.services[0].Alerts(t.Context(), w.organization, "shoes", &earshot.AlertQuery{Kind: kind}, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Alerts) != 1 || page.Alerts[0].Subject != subject {
			t.Errorf("the alerts of kind %s are %+v, want one about %q", kind, page.Alerts, subject)
		}
	}
}
