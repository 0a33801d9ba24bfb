package via_test

import (
	"net/url"
	"strings"
	"testing"

	"earshot/internal/geo"
	"earshot/internal/provider"
)

// Lists in the documentation of vendors, read on 2026-11-17.
const (
	// Values of SerpApi's gl, engines/google.json and google_ai_mode.json of its client.
	serpapiCountries = `af al dz as ad ao ai aq ag ar am aw au at az bs bh bd bb by be bz bj bm bt bo ba bw bv br io bn bg bf bi kh cm ca cv ky
cf td cl cn cx cc co km cg cd ck cr ci hr cu cy cz dk dj dm do ec eg sv gq er ee et fk fo fj fi fr gf pf tf ga gm ge de gh gi gr gl gd gp gu
gt gg gn gw gy ht hm va hn hk hu is in id ir iq ie im il it je jm jp jo kz ke ki kp kr kw kg la lv lb ls lr ly li lt lu mo mk mg mw my mv ml
mt mh mq mr mu yt mx fm md mc mn me ms ma mz mm na nr np nl an nc nz ni ne ng nu nf mp no om pk pw ps pa pg py pe ph pn pl pt pr qa re ro ru
rw sh kn lc pm vc ws sm st sa sn rs sc sl sg sk si sb so za gs es lk sd sr sj sz se ch sy tw tj tz th tl tg tk to tt tn tr tm tc tv ug ua ae
uk gb us um uy uz vu ve vn vg vi wf eh ye zm zw`
	// Values of SerpApi's hl, without rn, to and kl, which its page of languages does not have.
	serpapiLanguages = `af ak sq ws am ar hy az eu be bem bn bh xx-bork bs br bg bt km ca chr ny zh-cn zh-tw co hr cs da nl xx-elmer en eo et ee
fo tl fi fr fy gaa gl ka de el gn gu xx-hacker ht ha haw iw he hi hu is ig id ia ga it ja jw kn kk rw xx-klingon kg ko kri ku ckb ky lo la lv
ln lt loz lg ach mk mg ms ml mt mv mi mr mfe mo mn sr-me my ne pcm nso no nn oc or om ps fa xx-pirate pl pt pt-br pt-pt pa qu ro rm nyn ru gd
sr sh st tn crs sn sd si sk sl so es es-419 su sw sv tg ta tt te th ti lua tum tr tk tw ug uk ur uz vu vi cy wo xh yi yo zu`
	// Values of Oxylabs' geo_location up to Kiribati.
	oxylabsCountries = `Aaland Islands|Afghanistan|Albania|Algeria|American Samoa|Andorra|Angola|Anguilla|Antarctica|Antigua and Barbuda|Argentina|
Armenia|Aruba|Australia|Austria|Azerbaijan|Bahamas|Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bermuda|Bhutan|
Bolivia Plurinational State of|Bonaire Sint Eustatius and Saba|Bosnia and Herzegovina|Botswana|Bouvet Island|Brazil|
British Indian Ocean Territory|Brunei Darussalam|Bulgaria|Burkina Faso|Burundi|Cabo Verde|Cambodia|Cameroon|Canada|Cayman Islands|
Central African Republic|Chad|Chile|China|Christmas Island|Cocos Keeling Islands|Colombia|Comoros|Congo|
Congo the Democratic Republic of the|Cook Islands|Costa Rica|Côte dIvoire|Croatia|Cuba|Curaçao|Cyprus|Czechia|Denmark|Djibouti|Dominica|
Dominican Republic|Ecuador|Egypt|El Salvador|Equatorial Guinea|Eritrea|Estonia|Eswatini|Ethiopia|Falkland Islands [Malvinas]|
Faroe Islands|Fiji|Finland|France|French Guiana|French Polynesia|French Southern Territories|Gabon|Gambia|Georgia|Germany|Ghana|Gibraltar|
Greece|Greenland|Grenada|Guadeloupe|Guam|Guatemala|Guernsey|Guinea|Guinea-Bissau|Guyana|Haiti|Heard Island and McDonald Islands|Holy See|
Honduras|Hong Kong|Hungary|Iceland|India|Indonesia|Iran Islamic Republic of|Iraq|Ireland|Isle of Man|Israel|Italy|Jamaica|Japan|Jersey|
Jordan|Kazakhstan|Kenya|Kiribati`
)

// cloroBlocks are the countries that cloro does not serve, by provider; the schemas of its client.
var cloroBlocks = map[string]string{
	"chatassistant": "CN CZ HK IR MO RU VE", "officeassistant": "BY CN RU SY VE", "genassistant": "BY CN RU", "answerengine": "CN",
	"searchaimode": "CN CU IR KP", "websearch": "", "websearch/news": "",
}

// list splits a documented list.
func list(text, separator string) map[string]bool {
	set := map[string]bool{}
	for value := range strings.SplitSeq(strings.ReplaceAll(text, "\n", separator), separator) {
		if value != "" {
			set[value] = true
		}
	}
	return set
}

// eachCountry calls check for every country that the vendor serves, with what the vendor got, and
// checks that it serves exactly the documented ones.
func eachCountry(t *testing.T, vendor, name string, documented func(country string) bool, check func(t *testing.T, country string, sent request)) {
	t.Run(vendor+" "+name, func(t *testing.T) {
		t.Parallel()
		for _, country := range geo.Countries() {
			q := question(name, func(q *provider.Question) { q.Locale.Country = country })
			err := vendors[vendor].Definition().Covers(q)
			if covered := err == nil; covered != documented(country) {
				t.Errorf("%s: %v", country, err)
			}
			if err == nil {
				check(t, country, ask(t, vendor, q))
			}
		}
	})
}

func always(string) bool { return true }

func except(codes string) func(string) bool {
	return func(country string) bool { return !strings.Contains(codes, country) }
}

// TestCountries asks from all countries and compares what is sent with the documentation.
func TestCountries(t *testing.T) {
	t.Parallel()
	gl, hl := list(serpapiCountries, " "), list(serpapiLanguages, " ")
	google := func(t *testing.T, country string, query url.Values) {
		t.Helper()
		if query.Get("gl") != strings.ToLower(country) || query.Has("hl") && !hl[query.Get("hl")] {
			t.Errorf("%s: searched with %v", country, query)
		}
		if wants := map[string]string{"IN": "en", "NO": "no", "PH": "en", "CN": "zh-cn", "HK": "zh-tw", "CZ": "cs", "BI": "fr"}; wants[country] != "" && wants[country] != query.Get("hl") {
			t.Errorf("%s: the language is %q", country, query.Get("hl"))
		}
	}
	for _, name := range []string{"websearch", "searchaimode"} {
		eachCountry(t, "serpapi", name, func(country string) bool { return gl[strings.ToLower(country)] }, func(t *testing.T, country string, sent request) {
			google(t, country, sent.query)
		})
	}
	eachCountry(t, "brightdata", "websearch", always, func(t *testing.T, country string, sent request) {
		google(t, country, queryOf(t, sent.body["url"]))
	})
	eachCountry(t, "olostep", "websearch", always, func(t *testing.T, country string, sent request) {
		items, _ := sent.body["items"].([]any)
		if len(items) != 1 {
			t.Fatalf("%d items", len(items))
		}
		item, _ := items[0].(map[string]any)
		google(t, country, queryOf(t, item["url"]))
		if sent.body["country"] != country {
			t.Errorf("%s: %v", country, sent.body)
		}
	})
	plain := func(t *testing.T, country string, sent request) {
		if sent.body["country"] != country {
			t.Errorf("%s: %v", country, sent.body)
		}
	}
	eachCountry(t, "brightdata", "chatassistant", always, plain)
	for name, blocked := range cloroBlocks {
		field := map[bool]string{true: "gl", false: "country"}[strings.HasPrefix(name, "websearch")]
		eachCountry(t, "cloro", name, except(blocked), func(t *testing.T, country string, sent request) {
			payload, _ := sent.body["payload"].(map[string]any)
			if payload[field] != country || payload["hl"] != nil {
				t.Errorf("%s: %v", country, payload)
			}
		})
	}
	names := list(oxylabsCountries, "|")
	for _, name := range []string{"answerengine", "websearch"} {
		sent := map[string]string{}
		eachCountry(t, "oxylabs", name, except("KP XK"), func(t *testing.T, country string, r request) {
			place, _ := r.body["geo_location"].(string)
			if sent[place] != "" || place == "" || strings.ContainsAny(place, ",'’.&()") || place < "Kj" && !names[place] {
				t.Errorf("%s: the place is %q", country, place)
			}
			sent[place] = country
			for name := range names {
				if country == "ZW" && sent[name] == "" {
					t.Errorf("no country has the place %q", name)
				}
			}
		})
	}
	codes := map[string]float64{"US": 2840, "DE": 2276, "GB": 2826, "FR": 2250, "JP": 2392, "BR": 2076, "AF": 2004, "ZM": 2894}
	for _, name := range []string{"chatassistant", "websearch"} {
		sent := map[float64]bool{}
		eachCountry(t, "dataforseo", name, except("CU IR KP SY XK"), func(t *testing.T, country string, r request) {
			code, _ := r.body["location_code"].(float64)
			language, _ := r.body["language_code"].(string)
			if sent[code] || code < 2004 || code > 2894 || codes[country] != 0 && codes[country] != code || !hl[strings.ToLower(language)] {
				t.Errorf("%s: %v", country, r.body)
			}
			sent[code] = true
		})
	}
}

// TestLanguages names languages as callers do.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for named, want := range map[string]string{
		"nb": "no", "fil": "tl", "de-ch": "de", "PT_br": "pt-br", "zh": "zh-tw", "zh-hans": "zh-cn", "zh-HK": "zh-tw", "he": "he", "es-mx": "es", "en_us": "en", "sr-me": "sr-me",
	} {
		q := question("websearch", func(q *provider.Question) { q.Locale = geo.Locale{Country: "TW", Language: named} })
		if got := ask(t, "serpapi", q).query["hl"]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %v, want %s", named, got, want)
		}
		if got := ask(t, "oxylabs", q).body["locale"]; got != want {
			t.Errorf("%s is %v at Oxylabs, want %s", named, got, want)
		}
	}
}

// queryOf returns the query of an address.
func queryOf(t *testing.T, address any) url.Values {
	t.Helper()
	text, _ := address.(string)
	parsed, err := url.Parse(text)
	if err != nil || text == "" {
		t.Fatalf("the address is %v, %v", address, err)
	}
	return parsed.Query()
}
