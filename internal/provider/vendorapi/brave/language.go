package brave

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"earshot/internal/geo"
)

// The languages of pages and of the interface that the API takes; it refuses any
// other.
var (
	searchLanguages = strings.Fields(`
		ar bg bn ca cs da de en en-gb es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa pl
		pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant`)
	interfaceLanguages = strings.Fields(`
		da-DK de-AT de-CH de-DE en-AU en-CA en-GB en-ID en-IN en-MY en-NZ en-PH en-US en-ZA es-AR es-CL es-ES es-MX es-US
		fi-FI fr-BE fr-CA fr-CH fr-FR it-IT ja-JP ko-KR nl-BE nl-NL no-NO pl-PL pt-BR ru-RU sv-SE tr-TR zh-CN zh-HK zh-TW`)
)

// searchLanguage is what the API calls the language of the locale, "" where it
// does not know it.
func searchLanguage(locale geo.Locale) string {
	tag, base := languageOf(locale)
	for _, name := range []string{strings.ToLower(tag.String()), variant(tag, base)} {
		if slices.Contains(searchLanguages, name) {
			return name
		}
	}
	return ""
}

// variant is the API's name for a language that it knows by another one, or in
// several forms.
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

// interfaceLanguage is the language of the locale as the API's interface has it
// in the country, "" where it does not.
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

// languageOf is the language asked for, or the country's own; its base is "" where
// there is no such language. The country's own is meant as the country writes it,
// also when it is asked for by name.
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
