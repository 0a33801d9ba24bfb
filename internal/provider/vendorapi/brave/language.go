package brave

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"earshot/internal/geo"
)

// The page languages and interface languages that the API accepts. It rejects any other.
var (
	searchLanguages = strings.Fields(`
		ar bg bn ca cs da de en en-gb es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa pl
		pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant`)
	interfaceLanguages = strings.Fields(`
		da-DK de-AT de-CH de-DE en-AU en-CA en-GB en-ID en-IN en-MY en-NZ en-PH en-US en-ZA es-AR es-CL es-ES es-MX es-US
		fi-FI fr-BE fr-CA fr-CH fr-FR it-IT ja-JP ko-KR nl-BE nl-NL no-NO pl-PL pt-BR ru-RU sv-SE tr-TR zh-CN zh-HK zh-TW`)
)

// searchLanguage returns the API's code for the language of the locale, or "" if the API does not
// support it.
func searchLanguage(locale geo.Locale) string {
	tag, base := languageOf(locale)
	for _, name := range []string{strings.ToLower(tag.String()), variant(tag, base)} {
		if slices.Contains(searchLanguages, name) {
			return name
		}
	}
	return ""
}

// variant returns the API's code for a language whose code differs from the usual one or that has
// several variants.
func variant(tag language.Tag, base string) string {
	switch base {
	case "ja":
		return "jp"
	case "no", "nn":
		return "nb"
	case "zh":
		script, _ := tag.Script()
		return "zh-" + strings.ToLower(script.String())
	case "pt":
		if region, _ := tag.Region(); region.String() != "BR" {
			return "pt-pt"
		}
		return "pt-br"
	default:
		return base
	}
}

// interfaceLanguage returns the API's interface language for the locale's language and country, or
// "" if there is none.
func interfaceLanguage(locale geo.Locale) string {
	_, base := languageOf(locale)
	if base == "nb" || base == "nn" {
		base = "no"
	}
	if name := base + "-" + locale.Country; slices.Contains(interfaceLanguages, name) {
		return name
	}
	return ""
}

// languageOf returns the locale's language, or else the main language of its country; base is "" if
// the language is invalid. The country's main language gets the country as its region, even if the
// locale names that language explicitly.
func languageOf(locale geo.Locale) (tag language.Tag, base string) {
	own := geo.Language(locale.Country)
	name := locale.Language
	if name == "" || strings.EqualFold(name, own) {
		name = own + "-" + locale.Country
	}
	tag, err := language.Parse(name)
	if err != nil {
		return tag, ""
	}
	known, _ := tag.Base()
	return tag, known.String()
}
