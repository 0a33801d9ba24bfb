package oxylabs

import (
	"cmp"

	"earshot/internal/geo"
)

// exceptCountries are the countries that are not among the values of geo_location.
const exceptCountries = "KP XK"

// countryNames are the values of geo_location for the countries that have another English name
// elsewhere. Most are the names of ISO 3166-1 without their punctuation.
var countryNames = map[string]string{
	"AG": "Antigua and Barbuda", "AX": "Aaland Islands", "BA": "Bosnia and Herzegovina", "BL": "Saint Barthélemy",
	"BN": "Brunei Darussalam", "BO": "Bolivia Plurinational State of", "BQ": "Bonaire Sint Eustatius and Saba",
	"CC": "Cocos Keeling Islands", "CD": "Congo the Democratic Republic of the", "CG": "Congo", "CI": "Côte dIvoire",
	"CV": "Cabo Verde", "CW": "Curaçao", "FK": "Falkland Islands [Malvinas]", "FM": "Micronesia Federated States of",
	"GS": "South Georgia and the South Sandwich Islands", "HM": "Heard Island and McDonald Islands", "IR": "Iran Islamic Republic of",
	"KN": "Saint Kitts and Nevis", "KR": "Korea Republic of", "LA": "Lao Peoples Democratic Republic", "LC": "Saint Lucia",
	"MD": "Moldova Republic of", "MF": "Saint Martin French part", "MK": "Republic of North Macedonia", "MM": "Myanmar",
	"MO": "Macao", "PM": "Saint Pierre and Miquelon", "PN": "Pitcairn", "PS": "Palestine State of", "RU": "Russian Federation",
	"SH": "Saint Helena Ascension and Tristan da Cunha", "SJ": "Svalbard and Jan Mayen", "ST": "Sao Tome and Principe",
	"SX": "Sint Maarten Dutch part", "SY": "Syrian Arab Republic", "SZ": "Eswatini", "TC": "Turks and Caicos Islands", "TR": "Turkey",
	"TT": "Trinidad and Tobago", "TW": "Taiwan Province of China", "TZ": "Tanzania United Republic of",
	"UM": "United States Minor Outlying Islands", "VA": "Holy See", "VC": "Saint Vincent and the Grenadines",
	"VE": "Venezuela Bolivarian Republic of", "VG": "Virgin Islands British", "VI": "Virgin Islands US", "VN": "Viet Nam",
	"WF": "Wallis and Futuna",
}

// countryName returns the value of geo_location for a country.
func countryName(country string) string { return cmp.Or(countryNames[country], geo.Name(country)) }
