package brave_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/geo"
	"earshot/internal/provider/vendorapi/brave"
)

func TestWebSearchRequest(t *testing.T) {
	t.Parallel()
	q := brave.Query{
		Text: "café & bar", Locale: geo.Locale{Country: "US", State: "CA"}, UserAgent: "phone", First: 20,
		Place: geo.EncodeLocation("Oakland,California,United States"),
		Extra: map[string]string{"tbs": "sbd:1,qdr:w", "safe": "active", "tbm": "nws"},
	}
	request := brave.Web(q, 2)
	wantQuery := url.Values{
		"q": {"café & bar"}, "count": {"10"}, "offset": {"3"}, "country": {"US"}, "search_lang": {"en"}, "ui_lang": {"en-US"},
		"freshness": {"pw"}, "safesearch": {"strict"}, "text_decorations": {"false"},
	}
	wantHeader := http.Header{
		"Accept": {"application/json"}, "User-Agent": {"phone"}, "X-Loc-Country": {"US"},
		"X-Loc-State": {"CA"}, "X-Loc-State-Name": {"California"}, "X-Loc-City": {"Oakland"},
	}
	if diff := cmp.Diff(wantQuery, request.Query); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantHeader, request.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if request.Site != brave.Site || request.Path != "/web/search" || request.Body != nil || request.Refusal == nil || request.Locale != q.Locale {
		t.Errorf("the request is %+v", request)
	}
}

func TestNewsSearchRequest(t *testing.T) {
	t.Parallel()
	request := brave.News(brave.Query{Text: "hafen", Locale: geo.Locale{Country: "AT"}}, 1)
	want := url.Values{"q": {"hafen"}, "count": {"10"}, "offset": {"0"}, "country": {"AT"}, "search_lang": {"de"}, "ui_lang": {"de-AT"}}
	if diff := cmp.Diff(want, request.Query); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}}, request.Header); diff != "" || request.Path != "/news/search" {
		t.Errorf("%s with header (-want +got):\n%s", request.Path, diff)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ country, language, search, ui string }{
		{"GB", "", "en-gb", "en-GB"},
		{"JP", "", "jp", "ja-JP"},
		{"NO", "", "nb", "no-NO"},
		{"NO", "nn", "nb", "no-NO"},
		{"BR", "", "pt-br", "pt-BR"},
		{"PT", "", "pt-pt", ""},
		{"PT", "pt", "pt-pt", ""},
		{"PT", "pt-br", "pt-br", ""},
		{"US", "pt", "pt-br", ""},
		{"TW", "", "zh-hant", "zh-TW"},
		{"CN", "", "zh-hans", "zh-CN"},
		{"HK", "zh-hk", "zh-hant", "zh-HK"},
		{"US", "zh-hant-tw", "zh-hant", ""},
		{"US", "es", "es", "es-US"},
		{"CA", "fr-ca", "fr", "fr-CA"},
		{"BE", "fr", "fr", "fr-BE"},
		{"IL", "iw", "he", ""},
		{"RO", "", "ro", ""},
		{"MN", "", "", ""},
		{"DE", "xx", "", ""},
		{"DE", "not a language", "", ""},
	} {
		query := brave.News(brave.Query{Locale: geo.Locale{Country: test.country, Language: test.language}}, 1).Query
		if got := query.Get("search_lang"); got != test.search {
			t.Errorf("%+v: search_lang is %q", test, got)
		}
		if got := query.Get("ui_lang"); got != test.ui {
			t.Errorf("%+v: ui_lang is %q", test, got)
		}
	}
}

func TestUnsupportedCountryIsOmitted(t *testing.T) {
	t.Parallel()
	located := 0
	for _, country := range geo.Countries() {
		locale := geo.Locale{Country: country}
		request := brave.Web(brave.Query{Locale: locale}, 1)
		if request.Query.Has("country") != brave.Located(locale) {
			t.Errorf("%s is sent as %q", country, request.Query.Get("country"))
		}
		if got := request.Header.Get("X-Loc-Country"); got != country && country != "XK" {
			t.Errorf("%s: the header X-Loc-Country is %q", country, got)
		}
		if brave.Located(locale) {
			located++
		}
	}
	if located != 36 || brave.Located(geo.Locale{Country: "RO"}) || brave.Located(geo.Locale{}) {
		t.Errorf("%d countries are located", located)
	}
	if got := brave.Web(brave.Query{Locale: geo.Locale{Country: "XK"}}, 1).Header.Get("X-Loc-Country"); got != "" {
		t.Errorf("a code that is not in ISO 3166 is sent as %q", got)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ country, place, city, state string }{
		{"US", geo.EncodeLocation("Austin,Texas,United States"), "Austin", "TX"},
		{"US", geo.EncodeLocation("Austin, TX Metro, Texas, United States"), "Austin", "TX"},
		{"US", geo.EncodeLocation("Texas,United States"), "", "TX"},
		{"US", geo.EncodeLocation("United States"), "", ""},
		{"DE", geo.EncodeLocation("Munich,Bavaria,Germany"), "Munich", ""},
		{"DE", geo.EncodeLocation("München,Bayern,Germany"), "", ""},
		{"US", geo.EncodeLocation("A\r\nX-Evil: 1,Texas,United States"), "", "TX"},
		{"US", "w+CAIQ", "", ""},
		{"US", "w+CAIQICL/////", "", ""},
		{"US", "w+%%%", "", ""},
		{"US", "a+cm9sZTox", "", ""},
	} {
		header := brave.Web(brave.Query{Locale: geo.Locale{Country: test.country}, Place: test.place}, 1).Header
		if got := header.Get("X-Loc-City"); got != test.city {
			t.Errorf("%s: the city is %q, want %q", test.place, got, test.city)
		}
		if got := header.Get("X-Loc-State"); got != test.state {
			t.Errorf("%s: the state is %q, want %q", test.place, got, test.state)
		}
	}
}
