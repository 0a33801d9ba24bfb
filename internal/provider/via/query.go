package via

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
)

// SearchQuery returns Google's parameters for a result page, from 1.
func SearchQuery(q *provider.Question, page int) url.Values {
	query := url.Values{"q": {q.Text}, "gl": {strings.ToLower(q.Locale.Country)}}
	for name, value := range q.Extra {
		query.Set(name, value)
	}
	if language := GoogleLanguage(q.Locale); language != "" {
		query.Set("hl", language)
	}
	if q.UULE != "" {
		query.Set("uule", q.UULE)
	}
	if q.Provider == "websearch/news" {
		query.Set("tbm", "nws")
	}
	if start := q.First + (page-1)*serp.PageSize; start > 0 {
		query.Set("start", strconv.Itoa(start))
	}
	return query
}

// googleLanguages are the values of Google's parameter hl that all vendors of result pages know,
// read on 2026-11-17 from SerpApi's list, the shortest. It also has joke languages, and codes of
// small languages on whose meaning the lists differ.
var googleLanguages = strings.Fields(`
af ach ak am ar az be bem bg bh bn br bs ca chr ckb co crs cs cy da de ee el en eo es es-419 et eu fa fi fo fr
fy ga gaa gd gl gn gu ha haw he hi hr ht hu hy ia id ig is it iw ja jw ka kg kk km kn ko kri ku ky la lg ln lo loz lt lua lv mfe mg mi mk
ml mn mo mr ms mt my ne nl nn no nso ny nyn oc om or pa pcm pl ps pt pt-br pt-pt qu rm ro ru rw sd sh si sk sl sn so sq sr sr-me st su sv
sw ta te tg th ti tk tl tn tr tt tum tw ug uk ur uz vi wo xh yi yo zh-cn zh-tw zu
`)

// sameLanguages are Google's codes for the languages that others name in another way.
var sameLanguages = map[string]string{
	"nb": "no", "fil": "tl", "jv": "jw", "zh-hans": "zh-cn", "zh-hant": "zh-tw", "zh-sg": "zh-cn", "zh-hk": "zh-tw", "zh-mo": "zh-tw",
}

// GoogleLanguage returns Google's code for the language of a locale, or for the language of its
// country. It returns "" for a locale without a known language.
func GoogleLanguage(locale geo.Locale) string {
	code := strings.ToLower(strings.ReplaceAll(cmp.Or(locale.Language, geo.Language(locale.Country)), "_", "-"))
	if code == "zh" {
		code = "zh-cn"
		if strings.Contains("HK MO TW", locale.Country) {
			code = "zh-tw"
		}
	}
	for ; code != ""; code = code[:max(0, strings.LastIndexByte(code, '-'))] { // de-ch is de
		if known := cmp.Or(sameLanguages[code], code); slices.Contains(googleLanguages, known) {
			return known
		}
	}
	return ""
}
