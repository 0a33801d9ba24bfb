// Package geo lists the countries and states that a request can name, with their languages
// and currencies.
package geo

import (
	"slices"
	"strings"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// countryCodes are the 249 codes of ISO 3166-1 alpha-2 and XK (Kosovo), sorted.
// We have our own list because x/text accepts codes that are not countries.
const countryCodes = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE
BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM
DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU
ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME
MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK
TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS XK YE YT ZA ZM ZW
`

var countries = strings.Fields(countryCodes)

// Countries returns all country codes, sorted.
func Countries() []string { return slices.Clone(countries) }

// IsCountry reports whether code is one of Countries. Codes are in upper case.
func IsCountry(code string) bool {
	_, found := slices.BinarySearch(countries, code)
	return found
}

// searchLanguages are the languages of countries whose people search mostly in another language than
// the one that most of them speak, according to the Unicode CLDR: in English, French, Russian or the
// language of schools and offices. Many of the spoken languages have no search engine of their own.
var searchLanguages = map[string]string{
	"AS": "en", "BI": "fr", "BQ": "nl", "BT": "en", "BY": "ru", "CD": "fr", "CW": "nl", "DJ": "fr", "GH": "en", "GL": "da",
	"HT": "fr", "IN": "en", "KE": "en", "KG": "ru", "LS": "en", "MG": "fr", "ML": "fr", "MT": "en", "MU": "en", "MV": "en",
	"NA": "en", "NE": "fr", "PG": "en", "PH": "en", "PK": "en", "PW": "en", "PY": "es", "TK": "en", "TO": "en", "TV": "en",
	"UG": "en", "VU": "en", "WS": "en", "ZW": "en",
}

// Language returns the language in which people of the country search most, as a BCP 47 base such
// as "de". It returns "en" if the language is unknown.
func Language(country string) string {
	if own := searchLanguages[country]; own != "" {
		return own
	}
	tag, err := language.Parse("und-" + country)
	if err != nil {
		return "en"
	}
	base, confidence := tag.Base()
	if confidence == language.No || base.String() == "und" {
		return "en"
	}
	return base.String()
}

// Currency returns the ISO 4217 code of the country's currency, or "" if it is unknown.
func Currency(country string) string {
	region, err := language.ParseRegion(country)
	if err != nil {
		return ""
	}
	unit, ok := currency.FromRegion(region)
	if !ok {
		return ""
	}
	return unit.String()
}

// Name returns the English name of the country, or "" if code is not one of Countries.
func Name(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil || !IsCountry(code) {
		return ""
	}
	return strings.TrimSuffix(display.English.Regions().Name(region), " SAR China")
}
