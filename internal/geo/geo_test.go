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
			t.Errorf("%q is not a country", code)
		}
	}
}

func TestStates(t *testing.T) {
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
		t.Error("IsState is wrong")
	}
}

func TestLanguageAndCurrency(t *testing.T) {
	t.Parallel()
	for country, want := range map[string][3]string{
		"US": {"en", "USD", "en-US,en;q=0.9"},
		"DE": {"de", "EUR", "de-DE,de;q=0.9,en;q=0.5"},
		"JP": {"ja", "JPY", "ja-JP,ja;q=0.9,en;q=0.5"},
		"BR": {"pt", "BRL", "pt-BR,pt;q=0.9,en;q=0.5"},
		"IN": {"en", "INR", "en-IN,en;q=0.9"},
		"NE": {"fr", "XOF", "fr-NE,fr;q=0.9,en;q=0.5"},
		"AQ": {"en", "", "en-AQ,en;q=0.9"},
	} {
		got := [3]string{geo.Language(country), geo.Currency(country), geo.AcceptLanguage(geo.Locale{Country: country})}
		if got != want {
			t.Errorf("%s has %v, want %v", country, got, want)
		}
	}
}

func TestAcceptLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"pt-br": "pt-br,en;q=0.5",
		"en_us": "en-us,en;q=0.5",
		"en us": "de-DE,de;q=0.9,en;q=0.5", // not a valid language tag
		"日本語":   "de-DE,de;q=0.9,en;q=0.5",
		"fr,*":  "de-DE,de;q=0.9,en;q=0.5",
	} {
		if got := geo.AcceptLanguage(geo.Locale{Country: "DE", Language: language}); got != want {
			t.Errorf("%q: %s, want %s", language, got, want)
		}
	}
}

func TestEncodeLocation(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"West New York,New Jersey,United States": "w+CAIQICImV2VzdCBOZXcgWW9yayxOZXcgSmVyc2V5LFVuaXRlZCBTdGF0ZXM=",
		"Austin,Texas,United States":             "w+CAIQICIaQXVzdGluLFRleGFzLFVuaXRlZCBTdGF0ZXM=",
	} {
		if got := geo.EncodeLocation(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"US": "United States", "DE": "Germany", "HK": "Hong Kong", "XX": "", "us": "", "": ""} {
		if got := geo.Name(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}
