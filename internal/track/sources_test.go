package track_test

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track/alert"
)

// Sources are compared once every alert.Window sweeps. Repeated sweeps do not count.
func TestSourcesAreComparedOncePerWindow(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, repeats ...bool) {
		t.Parallel()
		w := newWorld(t, storetest.SQLite(t), time.Now().Add(-48*time.Hour))
		w.complete = true // sweeps with too many missing answers are left out
		w.apply("shoes", "brands: [{name: Ollaro, own: true}]\nprompts: [a, b, c, d, e, f, g, h]\ntargets: [{provider: chatassistant, country: US}]\nalerts: {falseAlarmsPerYear: 10}\n")
		for sweep := range 2*alert.Window + alert.Window/2 {
			w.result = `{"surface":"lab","text":"x","markdown":"x","sources":[{"position":1,"url":"https://before.example/"}]}`
			if sweep >= alert.Window {
				w.result = `{"surface":"lab","text":"x","markdown":"x","sources":[{"position":1,"url":"https://after.example/"}]}`
			}
			for _, repeat := range repeats {
				w.now = w.now.Add(time.Minute)
				w.run("shoes", repeat)
			}
		}
		w.checkStepped("shoes", len(repeats)*(2*alert.Window+alert.Window/2))
		page, err := w.services[0].Alerts(t.Context(), w.organization, "shoes", &earshot.AlertQuery{Kind: earshot.AlertSource}, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Alerts) != 1 || len(page.Alerts[0].Sources) != 2 {
			t.Errorf("the alerts are %+v, want one alert with two sources", page.Alerts)
		}
	}
	t.Run("alone", func(t *testing.T) { test(t, false) })
	t.Run("repeated", func(t *testing.T) { test(t, false, true) })
}
