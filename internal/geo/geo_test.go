package geo_test

import (
	"slices"
	"testing"

	"earshot/internal/geo"
)

func TestCountriesAreSortedAndComplete(t *testing.T) {
	t.Parallel()
	all := geo.Countries()
	if len(all) != 250 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != 250 {
		t.Errorf("%d countries, sorted %t", len(all), slices.IsSorted(all))
	}
	for _, code := range []string{"US", "DE", "XK", "AX"} {
		if !geo.IsCountry(code) {
			t.Errorf("%s is missing", code)
		}
	}
	for _, code := range []string{"", "us", "USA", "UK", "EU", "ZZ", "AN"} {
		if geo.IsCountry(code) {
			t.Errorf("%q is no country", code)
		}
	}
}

func TestEachModelHasItsCountries(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"answerengine": 249, "chatassistant": 244, "genassistant": 247, "officeassistant": 245,
		"searchaimode": 246, "searchoverview": 231, "socialassistant": 245, "websearch": 250,
	}
	if len(geo.Models()) != len(want) {
		t.Errorf("the models are %v", geo.Models())
	}
	for _, model := range geo.Models() {
		served := 0
		for _, country := range geo.Countries() {
			if geo.Served(model, country) {
				served++
			}
		}
		if served != want[model] {
			t.Errorf("%s is served in %d countries, want %d", model, served, want[model])
		}
	}
	if geo.Served("chatassistant", "CN") || geo.Served("nothing", "US") || geo.Served("websearch", "ZZ") {
		t.Error("served where it is not")
	}
}

func TestStatesAreInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	states := geo.States()
	byName := slices.IsSortedFunc(states, func(a, b geo.State) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	if len(states) != 51 || !byName {
		t.Errorf("%d states, by name %t", len(states), byName)
	}
	if !geo.IsState("DC") || geo.IsState("PR") || geo.IsState("ca") {
		t.Error("states are not told from others")
	}
}

func TestLanguageAndMoneyOfACountry(t *testing.T) {
	t.Parallel()
	for country, want := range map[string][3]string{
		"US": {"en", "USD", "en-US,en;q=0.9"},
		"DE": {"de", "EUR", "de-DE,de;q=0.9,en;q=0.5"},
		"JP": {"ja", "JPY", "ja-JP,ja;q=0.9,en;q=0.5"},
		"BR": {"pt", "BRL", "pt-BR,pt;q=0.9,en;q=0.5"},
		"AQ": {"en", "", "en-AQ,en;q=0.9"},
	} {
		got := [3]string{geo.Language(country), geo.Currency(country), geo.AcceptLanguage(country)}
		if got != want {
			t.Errorf("%s has %v, want %v", country, got, want)
		}
	}
}
